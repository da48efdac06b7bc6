/** How the page looks, on light and on dark. It loads nothing. */
import { Markup } from './html.ts'

export const STYLE = new Markup(`
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #15181c); --ink: light-dark(#1d2329, #e6e8ea); --soft: light-dark(#5c6670, #9aa4ae);
  --line: light-dark(#dcd9d2, #333a42); --field: light-dark(#f1efe9, #1d2228); --bar: light-dark(#9db2c4, #52687c);
  --own: light-dark(#0b6e8f, #3fb0d4); --over: light-dark(#b3361b, #ff8f6b);
  --load: light-dark(#c9a227, #b8952a); --inspect: light-dark(#6f9f8e, #5d9482); --fingerprint: light-dark(#a87ca0, #a87ca0);
  --deduplicate: light-dark(#0b6e8f, #3fb0d4); --merge: light-dark(#c65f3b, #d9764f); --apply: light-dark(#c65f3b, #d9764f);
  --stream: light-dark(#8a8f3c, #a3a84f); --waiting: light-dark(#c9cdd1, #4a525a);
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .25rem; }
h3 { font-size: .95rem; margin: 0 0 .6rem; }
p { margin: .25rem 0 1rem; max-width: 46rem; }
.soft, figcaption, .basis { color: var(--soft); font-size: .92rem; }
.basis { margin: .75rem 0 0; padding-left: 1.1rem; }
.choice { border-left: 4px solid var(--own); padding: .25rem 0 .25rem .9rem; margin: 1.5rem 0 0; font-size: 1.05rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 2rem 3rem; margin-top: 1.25rem; }
figure { margin: 0; }
.bar { display: grid; grid-template-columns: 9.5rem 1fr; gap: .75rem; align-items: center; margin: .35rem 0; font-size: .9rem; }
.bar > span:first-child { text-align: right; white-space: nowrap; }
.track { position: relative; height: 1.6rem; }
.fill { position: absolute; inset: 0 auto 0 0; background: var(--bar); border-radius: 2px; min-width: 1px; }
.own .fill { background: var(--own); }
.own > span:first-child { font-weight: 600; }
.value { position: absolute; top: 0; line-height: 1.6rem; padding: 0 .6rem; background: var(--paper); white-space: nowrap; }
.value.in { color: light-dark(#10161b, #f4f6f7); background: var(--bar); }
.own .value.in { color: light-dark(#ffffff, #08222b); background: var(--own); }
.limit { position: absolute; top: -.2rem; bottom: -.2rem; border-left: 2px dashed var(--over); }
.over .value { color: var(--over); font-weight: 600; }
.stages { display: flex; height: 100%; }
.stage { height: 100%; overflow: hidden; font-size: .8rem; line-height: 1.6rem; padding-left: .35rem; white-space: nowrap;
  border-right: 1px solid var(--paper); color: light-dark(#10161b, #10161b); }
.stage.deduplicate { color: light-dark(#ffffff, #08222b); }
.stage.waiting { color: var(--ink); }
.load { background: var(--load); }
.inspect { background: var(--inspect); }
.fingerprint { background: var(--fingerprint); }
.deduplicate { background: var(--deduplicate); }
.merge { background: var(--merge); }
.apply { background: var(--apply); }
.stream { background: var(--stream); }
.waiting { background: var(--waiting); }
.clip { padding-left: 0; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0 0; padding: 0; list-style: none; font-size: .85rem;
  color: var(--soft); }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .4rem; vertical-align: -.08rem; }
.axis { position: relative; height: 1.4rem; font-size: .8rem; color: var(--soft); }
.axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.axis span.end { transform: translateX(-100%); }
.axis span.start { transform: none; }
.day { background: var(--field); border-radius: 2px; }
.promise { position: absolute; top: 0; bottom: 0; border: 1px solid var(--soft); border-radius: 2px; }
.refresh { position: absolute; top: .3rem; bottom: .3rem; background: var(--bar); border-radius: 1px; }
.own .refresh { background: var(--own); }
.refresh.late { background: var(--over); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; table-layout: fixed; font-size: .88rem; min-width: 52rem; width: 100%; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: pre; font-weight: 400; width: 27%; }
thead th { border-bottom: 2px solid var(--line); font-weight: 600; }
th.own, td.own { color: var(--own); }
pre { background: var(--field); padding: 1rem; border-radius: 4px; overflow-x: auto; font-size: .85rem; }
.warnings li { margin: .3rem 0; }
@media (max-width: 34rem) { .axis .minor { display: none; } .bar { grid-template-columns: 1fr; gap: 0; } .bar > span:first-child { text-align: left; } }
`)
