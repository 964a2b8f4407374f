import type { AlarmMessage, ToldAlarm } from "./alarm-messages.ts";

/** A message in plain text. */
type AlarmText = { subject: string; paragraphs: string[] };

/** The page that messages link to. */
export const healthUrl = (baseUrl: string): string => `${baseUrl}/console/operate/health`;

/**
 * The findings put commands between backticks, which plain text leaves out.
 *
 * @param hostname of the appliance, since operators may run several
 */
export function alarmText(message: AlarmMessage, hostname: string): AlarmText {
  if (message.kind === "test")
    return {
      subject: `Test alarm from ${hostname}`,
      paragraphs: ["This is a test. Alarms from this server will arrive here."],
    };
  const { raised, cleared } = message;
  const paragraphs = [
    ...raised.map(raisedText),
    ...cleared.map(({ found }) => `Cleared: ${found}`),
    ...(message.kind === "summary" ? message.notes : []),
  ];
  return {
    subject: withoutBackticks(subjectOf(message, hostname)),
    paragraphs: paragraphs.map(withoutBackticks),
  };
}

const withoutBackticks = (text: string) => text.replaceAll("`", "");

function subjectOf(
  { kind, raised, cleared }: Exclude<AlarmMessage, { kind: "test" }>,
  hostname: string,
): string {
  if (kind === "summary") return `What changed on ${hostname} since yesterday`;
  const [first, ...others] = [...raised, ...cleared];
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  const state = raised.length === 0 ? "Cleared" : isCritical(raised) ? "Critical" : "Warning";
  return `${state} on ${hostname}: ${first!.found}${more}`;
}

const raisedText = ({ severity, found, advice }: ToldAlarm) =>
  `${severity === "critical" ? "Critical" : "Warning"}: ${found}.${advice ? ` ${advice}.` : ""}`;

export const isCritical = (raised: ToldAlarm[]): boolean =>
  raised.some(({ severity }) => severity === "critical");
