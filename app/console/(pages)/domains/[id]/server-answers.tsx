import type { DomainRecord } from "#app/console/(pages)/domains/queries.ts";

import classes from "./diagnosis.module.css";

type Answer = DomainRecord["answers"][number];

const REASONS: Record<string, string> = {
  TIMEOUT: "It did not answer in time.",
  SERVFAIL: "It could not answer (SERVFAIL).",
  REFUSED: "It refused to answer (REFUSED): it may not know this zone.",
  NO_TOP_LEVEL: "It denies whatever it is asked, so its word was not taken.",
};

/** What each name server said about a name, folded away: who runs the DNS wants it, others do not. */
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
  const servers = answers.length === 1 ? "1 server" : `${answers.length} servers`;
  return (
    <details className={classes.answers}>
      <summary>
        What {servers} said about {type} at {name}
      </summary>
      <ul className={classes.list}>
        {answers.map((answer) => (
          <li key={`${answer.server} ${answer.address}`} className={classes.answer}>
            <span className={classes.server}>
              {answer.server === "resolver" ? "The resolver of this server" : answer.server}
              {answer.address && <span className={classes.address}>{answer.address}</span>}
            </span>
            <span className={classes.said}>
              <Said answer={answer} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Said({ answer: { kind, records, cname, reason } }: { answer: Answer }) {
  if (kind === "failed") return REASONS[reason ?? ""] ?? `No answer (${reason ?? "unknown"}).`;
  return (
    <>
      {cname && <span>Points elsewhere: CNAME to {cname}. </span>}
      {kind === "no_name" && "The name does not exist."}
      {kind === "no_data" && "The name exists, without such a record."}
      {records.map((record, place) => (
        <code key={place}>{record}</code>
      ))}
    </>
  );
}
