import type { Verdict } from "./check-traffic.ts";
import { type Round, type Service, SERVICES } from "./rounds.ts";

const FAULTS_SHOWN = 50;

/** Prints the figures, then every fault. */
export function printReport(
  { kinds, webhooks, kills, faults }: Verdict,
  rounds: Round[],
  { ledger, failedStarts }: { ledger: string; failedStarts: number },
): void {
  console.table({ ...kinds, webhooks });
  console.table(servingTimes(rounds));
  const worst = kills.reduce<(typeof kills)[number] | null>(
    (most, kill) => (kill.duplicates > (most?.duplicates ?? -1) ? kill : most),
    null,
  );
  if (worst)
    console.log(
      `Most extra copies after one kill: ${worst.duplicates} (${worst.target}), with ${worst.inFlight} in flight`,
    );
  console.log(`Starts that failed: ${failedStarts}`);
  console.log(`Ledger: ${ledger}`);
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`FAULT ${fault}`);
  const sums = [...Object.values(kinds), webhooks];
  const total = (name: "accepted" | "delivered" | "lost" | "duplicates") =>
    sums.reduce((sum, each) => sum + each[name], 0);
  console.log(
    `${rounds.length} rounds: ${total("accepted")} accepted, ${total("delivered")} delivered, ` +
      `${total("lost")} lost, ${total("duplicates")} duplicates, ${faults.length} faults`,
  );
}

/** Milliseconds from the kill until each service worked again: the slowest round of each target. */
function servingTimes(rounds: Round[]) {
  const byTarget = Map.groupBy(rounds, ({ target }) => target);
  return Object.fromEntries(
    [...byTarget].map(([target, all]) => {
      const times = (service: Service) => all.map(({ servedAfterMs }) => servedAfterMs[service]);
      const slowest = SERVICES.map((service) => [service, Math.max(...times(service))]);
      return [target, { rounds: all.length, ...(Object.fromEntries(slowest) as object) }];
    }),
  );
}
