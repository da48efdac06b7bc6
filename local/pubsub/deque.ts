/** A queue that both ends can enter and one can leave, in constant time. */

export class Deque<T> {
  /** Nearest first is last, so that leaving is a pop. */
  #front: T[] = []
  #back: T[] = []

  get size(): number {
    return this.#front.length + this.#back.length
  }

  push(item: T): void {
    this.#back.push(item)
  }

  /** Puts an item before all others. */
  unshift(item: T): void {
    this.#front.push(item)
  }

  /** The item that would leave next. */
  peek(): T | undefined {
    if (this.#front.length === 0) this.#turn()
    return this.#front.at(-1)
  }

  shift(): T | undefined {
    if (this.#front.length === 0) this.#turn()
    return this.#front.pop()
  }

  clear(): void {
    this.#front = []
    this.#back = []
  }

  #turn(): void {
    this.#front = this.#back.reverse()
    this.#back = []
  }
}
