import { pluralize } from "#app/console/ui/format.ts";
import type { DomainRecord } from "#app/console/(pages)/domains/queries.ts";

import classes from "./record-diagnosis.module.css";

type Answer = DomainRecord["answers"][number];

const REASONS: Record<string, string> = {
  TIMEOUT: "No response (timeout).",
  SERVFAIL: "Server failure (SERVFAIL).",
  REFUSED: "Query refused (REFUSED). The server may not host this zone.",
  NO_TOP_LEVEL: "Ignored: this server denies that any name exists.",
};

/** The raw answer of each name server, collapsed: only DNS administrators need it. */
export function ServerAnswers({
  answers,
  name,
  type,
}: {
  answers: Answer[];
  name: string;
  type: string;
}) {
  if (answers.length === 0) return null;
  const servers = pluralize(answers.length, "server");
  return (
    <details className={classes.answers}>
      <summary>
        Answers from {servers} for {type} {name}
      </summary>
      <ul className={classes.list}>
        {answers.map((answer) => (
          <li key={`${answer.server} ${answer.address}`} className={classes.answer}>
            <span className={classes.server}>
              {answer.server === "resolver" ? "This server’s resolver" : answer.server}
              {answer.address && <span className={classes.address}>{answer.address}</span>}
            </span>
            <span className={classes.records}>
              <DnsAnswerText answer={answer} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function DnsAnswerText({ answer: { kind, records, cname, reason } }: { answer: Answer }) {
  if (kind === "failed") return REASONS[reason ?? ""] ?? `No response (${reason ?? "unknown"}).`;
  return (
    <>
      {cname && <span>CNAME to {cname}. </span>}
      {kind === "no_name" && "The name doesn’t exist."}
      {kind === "no_data" && "The name exists but has no such record."}
      {records.map((record, place) => (
        <code key={place}>{record}</code>
      ))}
    </>
  );
}
