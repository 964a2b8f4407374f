/** A queue in which companies take turns. The items of one company keep their order. */
export class CompanyTurns<Item> {
  /** The companies with items, in the order of their turns. */
  readonly #companies = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(companyId: string, item: Item): void {
    const items = this.#companies.get(companyId);
    if (items) items.push(item);
    else this.#companies.set(companyId, [item]);
    this.#length++;
  }

  /** The item that `shift` returns next. */
  peek(): Item | undefined {
    const [items] = this.#companies.values();
    return items?.[0];
  }

  /** Removes the next item; then it's the turn of the next company. */
  shift(): Item | undefined {
    const [turn] = this.#companies;
    if (!turn) return undefined;
    const [companyId, items] = turn;
    const item = items.shift();
    this.#length--;
    if (items.length === 0) this.#companies.delete(companyId);
    else if (this.#companies.size > 1) {
      this.#companies.delete(companyId);
      this.#companies.set(companyId, items);
    }
    return item;
  }

  /** Removes the items that match, and returns them in the order of their companies. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [companyId, items] of this.#companies) {
      const kept = items.filter((item) => !matches(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter(matches));
      if (kept.length > 0) this.#companies.set(companyId, kept);
      else this.#companies.delete(companyId);
    }
    this.#length -= removed.length;
    return removed;
  }
}
