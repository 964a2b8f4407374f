/** What one company has waiting. */
type Waiting<Item> = { urgent: Item[]; others: Item[] };

/** A queue in which companies take turns. The urgent items of a company go first; apart from that, items keep their order. */
export class CompanyTurns<Item> {
  /** The companies with items, in the order of their turns. */
  readonly #companies = new Map<string, Waiting<Item>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(companyId: string, item: Item, { isUrgent }: { isUrgent: boolean }): void {
    const waiting = this.#companies.get(companyId) ?? { urgent: [], others: [] };
    waiting[isUrgent ? "urgent" : "others"].push(item);
    this.#companies.set(companyId, waiting);
    this.#length++;
  }

  /** The item that `shift` returns next. */
  peek(): Item | undefined {
    const [waiting] = this.#companies.values();
    return waiting && nextOf(waiting)[0];
  }

  /** Removes the next item; then it's the turn of the next company. */
  shift(): Item | undefined {
    const [turn] = this.#companies;
    if (!turn) return undefined;
    const [companyId, waiting] = turn;
    const item = nextOf(waiting).shift();
    this.#length--;
    if (isEmpty(waiting)) this.#companies.delete(companyId);
    else if (this.#companies.size > 1) {
      this.#companies.delete(companyId);
      this.#companies.set(companyId, waiting);
    }
    return item;
  }

  /** Removes the items that match, and returns them in the order of their companies. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [companyId, { urgent, others }] of this.#companies) {
      const matching = [...urgent, ...others].filter(matches);
      if (matching.length === 0) continue;
      removed.push(...matching);
      const isKept = (item: Item) => !matches(item);
      const kept = { urgent: urgent.filter(isKept), others: others.filter(isKept) };
      if (isEmpty(kept)) this.#companies.delete(companyId);
      else this.#companies.set(companyId, kept);
    }
    this.#length -= removed.length;
    return removed;
  }
}

const nextOf = <Item>({ urgent, others }: Waiting<Item>) => (urgent.length > 0 ? urgent : others);
const isEmpty = ({ urgent, others }: Waiting<unknown>) => urgent.length + others.length === 0;
