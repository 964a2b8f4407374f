/**
 * Something that is wrong now. It raises an alarm once it has lasted for `afterSeconds`. While its alarm
 * is raised, being found once is enough to keep it.
 */
export type Condition = {
  /** Identifies the alarm: `disk`, `deferred:example.com`. */
  name: string;
  severity: "warning" | "critical";
  /** One sentence. */
  found: string;
  advice: string;
  /** 0 by default. */
  afterSeconds?: number;
};

/** When each condition was first found, in milliseconds since 1970. */
export type FirstFound = Record<string, number>;

/**
 * Splits conditions into those that have lasted long enough, and the memory for the next round. A condition that
 * isn't found in a round starts over, unless its alarm is still raised.
 *
 * @param raised the names of raised alarms
 */
export function settle(
  conditions: Condition[],
  {
    before,
    nowMs,
    raised = new Set(),
  }: { before: FirstFound; nowMs: number; raised?: ReadonlySet<string> },
): { lasting: Condition[]; firstFound: FirstFound } {
  const firstFound = Object.fromEntries(
    conditions.map(({ name }) => [name, before[name] ?? nowMs]),
  );
  const lasting = conditions.filter(
    ({ name, afterSeconds = 0 }) =>
      raised.has(name) || nowMs - firstFound[name]! >= afterSeconds * 1_000,
  );
  return { lasting, firstFound };
}
