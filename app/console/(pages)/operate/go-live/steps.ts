import type { AnswerOf } from "#app/console/console-client.ts";
import { type Check, checkStatus } from "#app/console/ui/server-checks.tsx";
import type { StatusTone } from "#app/console/ui/status.tsx";

export type GoLiveAnswer = AnswerOf<"operate.getGoLive">;

type StepName =
  | "hostname"
  | "records"
  | "outgoing"
  | "start"
  | "incoming"
  | "certificate"
  | "outside"
  | "domains";

export type GoLiveStep = {
  name: StepName;
  tone: StatusTone;
  state: string;
  /** The checks that decide the step, with their findings and advice. */
  checks: Check[];
};

/** The checks that decide a step. Those of later steps pass only once the server uses the hostname. */
const CHECKS: Partial<Record<StepName, Check["name"][]>> = {
  records: ["dns", "reverse_dns"],
  outgoing: ["port_out"],
  incoming: ["port_in"],
  certificate: ["certificate"],
};

type State = Omit<GoLiveStep, "name">;

const DONE: State = { tone: "done", state: "Done", checks: [] };
const TO_DO: State = { tone: "waiting", state: "To do", checks: [] };
const LATER: State = { tone: "none", state: "Later", checks: [] };
const BY_HAND: State = { tone: "none", state: "Do this yourself", checks: [] };

/**
 * The steps from local mode to a server, in order.
 *
 * @param checks of the hostname in local mode, otherwise of the server; null while loading
 */
export function goLiveSteps(
  { hostname, isLocal, records }: Pick<GoLiveAnswer, "hostname" | "isLocal" | "records">,
  checks: Check[] | null,
): GoLiveStep[] {
  const checked = (name: StepName): State => {
    if (hostname === null) return LATER;
    const decisive = checks?.filter((check) => CHECKS[name]!.includes(check.name)) ?? [];
    const worst = mostSevere(decisive);
    if (!worst) return { ...LATER, state: checks ? "Later" : "Checking…" };
    if (worst.isRunning) return { tone: "info", state: "Checking…", checks: decisive };
    if (name === "records" && records.length > 0) return { ...TO_DO, checks: decisive };
    const { tone, label } = checkStatus(worst);
    return { tone, state: worst.state === "ok" ? "Done" : label, checks: decisive };
  };
  return [
    { name: "hostname", ...(hostname === null ? TO_DO : DONE) },
    { name: "records", ...checked("records") },
    { name: "outgoing", ...checked("outgoing") },
    { name: "start", ...(hostname === null ? LATER : isLocal ? TO_DO : DONE) },
    { name: "incoming", ...checked("incoming") },
    { name: "certificate", ...checked("certificate") },
    { name: "outside", ...(isLocal ? LATER : BY_HAND) },
    { name: "domains", ...(isLocal ? LATER : BY_HAND) },
  ];
}

const SEVERITY = ["ok", "unknown", "warning", "failed"];

/** Running checks first, then by severity. */
const mostSevere = (checks: Check[]): Check | undefined =>
  checks.toSorted((a, b) => rank(b) - rank(a))[0];

const rank = ({ state, isRunning }: Check) =>
  isRunning || state === null ? SEVERITY.length : SEVERITY.indexOf(state);

/** The commands that start the server with a hostname, by how Posthouse runs. */
export const startCommands = (hostname: string) => ({
  docker: [
    `echo POSTHOUSE_HOSTNAME=${hostname} >> docker/.env`,
    "docker compose -f docker/compose.yaml up -d --build --wait",
    "docker compose -f docker/compose.yaml logs posthouse",
  ].join("\n"),
  debian: [
    "apt install nodejs npm",
    `npx posthouse install --hostname ${hostname} --wait-for-dns`,
  ].join("\n"),
});

/** The commands to run on a computer in another network. */
export const outsideCommands = (hostname: string): string =>
  [
    `nc -vz ${hostname} 25`,
    `openssl s_client -brief -connect ${hostname}:993 </dev/null`,
    `openssl s_client -brief -connect ${hostname}:465 </dev/null`,
    `curl -I https://${hostname}/console`,
  ].join("\n");

/** The ports that a firewall must let through. */
export const PORTS = [
  ["25", "Mail from other servers"],
  ["80, 443", "API, console, and certificates"],
  ["465, 587", "Sending from mail apps"],
  ["993, 995", "Reading mail in mail apps (IMAP, POP3)"],
  ["4190", "Filters from mail apps (ManageSieve)"],
] as const;
