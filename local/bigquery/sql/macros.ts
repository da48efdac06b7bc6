/** DuckDB macros and session settings that translated SQL counts on: BigQuery's strictness and wording. */

import { bignumericMacros } from './bignumeric.ts'

/** Run on every connection. */
export const SESSION_SETTINGS: readonly string[] = [
  "SET TimeZone = 'UTC'",
  // Exactly BigQuery's order of NULLs: first in ascending, last in descending.
  "SET default_null_order = 'nulls_first_on_asc_last_on_desc'",
]

const arithmetic = [
  `bq_divide(a, b) AS CASE WHEN b = 0 THEN error('division by zero: ' || bq_float_text(a) || ' / ' || bq_float_text(b)) ELSE a / b END`,
  `bq_mod(a, b) AS CASE WHEN b = 0 THEN error('division by zero: MOD(' || a || ', ' || b || ')') ELSE a % b END`,
  `bq_div(a, b) AS CASE WHEN b = 0 THEN error('division by zero: ' || a || ' / ' || b) ELSE a // b END`,
  `bq_floor_div(a, b) AS (a - ((a % b) + b) % b) // b`,
  `bq_shift_left(a, n) AS CASE WHEN n < 0 THEN error('Bitwise shift amount must not be negative') WHEN n >= 64 THEN 0::BIGINT ELSE CAST(CAST(CAST(CAST(a AS BIT) << CAST(n AS INTEGER) AS VARCHAR) AS BIT) AS BIGINT) END`,
  `bq_shift_right(a, n) AS CASE WHEN n < 0 THEN error('Bitwise shift amount must not be negative') WHEN n >= 64 THEN 0::BIGINT ELSE CAST(CAST(CAST(a AS BIT) >> CAST(n AS INTEGER) AS BIT) AS BIGINT) END`,
  `bq_try_numeric(x) AS TRY_CAST(CASE WHEN isfinite(x) THEN x END AS DECIMAL(38,9))`,
  `bq_numeric(x) AS CASE WHEN x IS NULL OR bq_try_numeric(x) IS NOT NULL THEN bq_try_numeric(x) ELSE error('numeric out of range: ' || x) END`,
  // Exact wherever the product fits in 38 digits at twice the scale.
  `bq_numeric_multiply(a, b) AS CASE WHEN abs(CAST(a AS DOUBLE) * CAST(b AS DOUBLE)) < 9e19 THEN CAST(a * b AS DECIMAL(38,9)) ELSE CAST(CAST(a AS DOUBLE) * CAST(b AS DOUBLE) AS DECIMAL(38,9)) END`,
  `bq_unscaled(x) AS CAST(trunc(x) AS HUGEINT) * 1000000000 + CAST((x - trunc(x)) * 1000000000 AS HUGEINT)`,
  // Of two positive whole numbers, rounded half up at nine digits.
  `bq_quotient(a, b) AS CAST(a // b AS DECIMAL(38,9)) + CAST(((a % b) * 2000000000 + b) // (2 * b) AS DECIMAL(10,0)) * CAST(0.000000001 AS DECIMAL(10,9))`,
  `bq_signed_quotient(a, b) AS CAST(CASE WHEN (a < 0) = (b < 0) THEN bq_quotient(abs(a), abs(b)) ELSE -bq_quotient(abs(a), abs(b)) END AS DECIMAL(38,9))`,
  `bq_numeric_divide(a, b) AS CASE WHEN b = 0 THEN error('division by zero: ' || bq_numeric_text(a) || ' / ' || bq_numeric_text(b)) WHEN abs(b) < 80000000000000000000 THEN bq_signed_quotient(bq_unscaled(a), bq_unscaled(b)) ELSE CAST(CAST(a AS DOUBLE) / CAST(b AS DOUBLE) AS DECIMAL(38,9)) END`,
  `bq_try_float_to_int64(x) AS TRY_CAST(CASE WHEN isfinite(x) THEN round(x) END AS BIGINT)`,
  `bq_float_to_int64(x) AS CASE WHEN x IS NULL OR bq_try_float_to_int64(x) IS NOT NULL THEN bq_try_float_to_int64(x) ELSE error('Illegal conversion of floating point number to an integer: ' || x) END`,
  `bq_range_bucket(x, bounds) AS CASE WHEN x IS NULL OR bounds IS NULL THEN NULL ELSE len(list_filter(bounds, lambda b: b <= x)) END`,
]

/** A text's shape, and how it is read once the shape is right: DuckDB's own casts take much more. */
const parsed: readonly (readonly [name: string, shape: string, read: string, error: string])[] = [
  [
    'int64',
    '\\s*[+-]?(\\d+|0[xX][0-9a-fA-F]+)\\s*',
    'bq_read_int64(lower(trim(s, bq_blank())))',
    "'Bad int64 value: ' || s",
  ],
  [
    'float64',
    '\\s*[+-]?(\\d+\\.?\\d*([eE][+-]?\\d+)?|\\.\\d+([eE][+-]?\\d+)?|(?i:inf|infinity|nan))\\s*',
    'TRY_CAST(lower(trim(s, bq_blank())) AS DOUBLE)',
    "'Bad double value: ' || s",
  ],
  // The narrow decimal first: DuckDB casts text to the wide one a hundred times slower.
  [
    'numeric',
    '\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*',
    'coalesce(CAST(TRY_CAST(trim(s, bq_blank()) AS DECIMAL(18,9)) AS DECIMAL(38,9)), TRY_CAST(trim(s, bq_blank()) AS DECIMAL(38,9)))',
    "'Invalid NUMERIC value: ' || s",
  ],
  ['bool', '(?i:true|false)', "(lower(s) = 'true')", "'Bad bool value: ' || s"],
  ['date', '\\d{4}-\\d{1,2}-\\d{1,2}', 'TRY_CAST(s AS DATE)', "'Invalid date: ''' || s || ''''"],
  [
    'datetime',
    '\\d{4}-\\d{1,2}-\\d{1,2}([ Tt]\\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d{1,6})?)?',
    'TRY_CAST(upper(s) AS TIMESTAMP)',
    "'Invalid datetime string \"' || s || '\"'",
  ],
  [
    'time',
    '\\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d{1,6})?',
    'TRY_CAST(s AS TIME)',
    "'Invalid time string \"' || s || '\"'",
  ],
  [
    'timestamp',
    '\\d{4}-\\d{1,2}-\\d{1,2}([ Tt]\\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d{1,6})?)?\\s*([Zz]|[+-]\\d{1,2}(:?\\d{2})?|[A-Za-z_]+(/[A-Za-z_]+)*)?',
    'TRY_CAST(s AS TIMESTAMPTZ)',
    "'Invalid timestamp: ''' || s || ''''",
  ],
  [
    'json',
    '(?s:.*)',
    'CASE WHEN json_valid(s) THEN CAST(s AS JSON) END',
    "'Invalid input to PARSE_JSON: ' || s",
  ],
]
const parsing = [
  `bq_read_hex(s) AS CASE WHEN starts_with(s, '-') THEN TRY_CAST('-' || CAST(TRY_CAST(substr(s, 2) AS BIGINT) AS VARCHAR) AS BIGINT) ELSE TRY_CAST(ltrim(s, '+') AS BIGINT) END`,
  `bq_read_int64(s) AS CASE WHEN contains(s, 'x') THEN bq_read_hex(s) ELSE TRY_CAST(s AS BIGINT) END`,
  ...parsed.flatMap(([name, shape, read, error]) => [
    `bq_try_parse_${name}(s) AS CASE WHEN regexp_full_match(s, '${shape}') THEN ${read} END`,
    `bq_parse_${name}(s) AS CASE WHEN bq_try_parse_${name}(s) IS NOT NULL OR s IS NULL THEN bq_try_parse_${name}(s) ELSE error(${error}) END`,
  ]),
]

const texts = [
  // Trailing zeros go, in threes where BigQuery writes milliseconds or microseconds.
  `bq_fraction(micros) AS CASE WHEN micros = 0 THEN '' WHEN micros % 1000 = 0 THEN '.' || lpad(CAST(micros // 1000 AS VARCHAR), 3, '0') ELSE '.' || lpad(CAST(micros AS VARCHAR), 6, '0') END`,
  `bq_datetime_text(x) AS strftime(x, '%Y-%m-%d %H:%M:%S') || bq_fraction(microsecond(x) % 1000000)`,
  `bq_timestamp_text(x) AS bq_datetime_text(x AT TIME ZONE 'UTC') || '+00'`,
  `bq_time_text(x) AS strftime(DATE '2000-01-01' + x, '%H:%M:%S') || bq_fraction(microsecond(x) % 1000000)`,
  `bq_numeric_text(x) AS regexp_replace(CAST(x AS VARCHAR), '\\.?0+$', '')`,
  `bq_float_text(x) AS CASE WHEN x = 0 THEN '0' WHEN isnan(x) OR isinf(x) THEN CAST(x AS VARCHAR) WHEN abs(x) >= 1e15 AND abs(x) < 1e17 THEN regexp_replace(printf('%.16e', x), '\\.?0*e', 'e') ELSE regexp_replace(CAST(x AS VARCHAR), '\\.0$', '') END`,
  `bq_blank() AS (' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(133) || chr(160) || chr(5760) || chr(8192) || chr(8193) || chr(8194) || chr(8195) || chr(8196) || chr(8197) || chr(8198) || chr(8199) || chr(8200) || chr(8201) || chr(8202) || chr(8232) || chr(8233) || chr(8239) || chr(8287) || chr(12288))`,
]

const strings = [
  `bq_start(s, p) AS CASE WHEN p > 0 THEN p WHEN p = 0 THEN 1 WHEN -p > length(s) THEN 1 ELSE length(s) + p + 1 END`,
  `bq_substr(s, p) AS substr(s, bq_start(s, p))`,
  `bq_substr_length(s, p, n) AS CASE WHEN n < 0 THEN error('Third argument in SUBSTR() cannot be negative') ELSE substr(s, bq_start(s, p), n) END`,
  `bq_left(s, n) AS CASE WHEN n < 0 THEN error('Second argument in LEFT() cannot be negative') ELSE left(s, n) END`,
  `bq_right(s, n) AS CASE WHEN n < 0 THEN error('Second argument in RIGHT() cannot be negative') ELSE right(s, n) END`,
  `bq_replace(s, a, b) AS CASE WHEN a = '' THEN CASE WHEN b IS NULL THEN NULL ELSE s END ELSE replace(s, a, b) END`,
  // By code point: DuckDB's reverse() goes by grapheme.
  `bq_reverse(s) AS array_to_string(list_reverse(string_split(s, '')), '')`,
  `bq_repeat(s, n) AS CASE WHEN n < 0 THEN error('Second argument in REPEAT() cannot be negative') ELSE repeat(s, n) END`,
  `bq_lpad(s, n, p) AS CASE WHEN n < 0 THEN error('Second argument in LPAD() cannot be negative') WHEN p = '' THEN error('Third argument in LPAD() cannot be empty') ELSE lpad(s, CAST(n AS INTEGER), p) END`,
  `bq_rpad(s, n, p) AS CASE WHEN n < 0 THEN error('Second argument in RPAD() cannot be negative') WHEN p = '' THEN error('Third argument in RPAD() cannot be empty') ELSE rpad(s, CAST(n AS INTEGER), p) END`,
  `bq_ascii(s) AS CASE WHEN s = '' THEN 0::BIGINT WHEN unicode(s) > 127 THEN error('Non-ASCII argument to ASCII(): ' || s) ELSE CAST(unicode(s) AS BIGINT) END`,
  `bq_unicode(s) AS CASE WHEN s = '' THEN 0::BIGINT ELSE CAST(unicode(s) AS BIGINT) END`,
  `bq_try_check_length(s, n) AS CASE WHEN length(s) <= n THEN s END`,
  `bq_check_length(s, n) AS CASE WHEN length(s) > n THEN error('STRING(' || n || ') has maximum length ' || n || ' but got a value with length ' || length(s)) ELSE s END`,
  `bq_check_size(b, n) AS CASE WHEN octet_length(b) > n THEN error('BYTES(' || n || ') has maximum length ' || n || ' but got a value with length ' || octet_length(b)) ELSE b END`,
  `bq_fingerprint(s) AS CASE WHEN s IS NULL THEN NULL ELSE CAST(hash(s) >> 1 AS BIGINT) END`,
]

const lists = [
  `bq_offset(l, i) AS CASE WHEN l IS NULL OR i IS NULL THEN NULL WHEN i < 0 OR i >= len(l) THEN error('Array index ' || i || ' is out of bounds') ELSE l[i + 1] END`,
  `bq_ordinal(l, i) AS CASE WHEN l IS NULL OR i IS NULL THEN NULL WHEN i < 1 OR i > len(l) THEN error('Array index ' || i || ' is out of bounds') ELSE l[i] END`,
  `bq_safe_offset(l, i) AS CASE WHEN i >= 0 THEN l[i + 1] END`,
  `bq_safe_ordinal(l, i) AS CASE WHEN i >= 1 THEN l[i] END`,
  `bq_join(l, d) AS array_to_string(l, d)`,
  `bq_series(a, b, s) AS CASE WHEN s = 0 THEN error('Sequence step cannot be 0.') ELSE generate_series(a, b, s) END`,
  `bq_in_range(x) AS CASE WHEN year(x) BETWEEN 1 AND 9999 OR x IS NULL THEN x ELSE error('Date or time out of range: ' || x) END`,
  `bq_iso_year_start(d) AS CAST(date_trunc('week', make_date(isoyear(d), 1, 4)) AS DATE)`,
]

/** A sketch of HLL_COUNT: the hashes of its values, eight bytes each, in order. */
const sketches = [
  `bq_sketch(hashes) AS unhex(array_to_string(list_sort(hashes), ''))`,
  `bq_sketch_hashes(s) AS regexp_extract_all(lower(hex(s)), '.{16}')`,
  `bq_sketch_count(s) AS CAST(coalesce(octet_length(s), 0) // 8 AS BIGINT)`,
]

const json = [
  `bq_json_value(j, p) AS CASE WHEN json_type(j, p) IN ('OBJECT', 'ARRAY', 'NULL') THEN NULL ELSE json_extract_string(j, p) END`,
  `bq_json_query(j, p) AS json_extract(j, p)`,
  `bq_json_strings(j, p) AS CAST(json_extract(j, p) AS VARCHAR[])`,
]

/** Run once per database. */
export const MACROS: readonly string[] = [
  ...texts,
  ...arithmetic,
  ...bignumericMacros,
  ...parsing,
  ...strings,
  ...lists,
  ...sketches,
  ...json,
].map(macro => `CREATE OR REPLACE MACRO ${macro}`)
