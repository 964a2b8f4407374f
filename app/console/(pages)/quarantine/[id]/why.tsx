import { Text } from "@mantine/core";

import { findingInWords } from "#app/console/(pages)/quarantine/finding-words.ts";
import { reasons } from "#app/console/(pages)/quarantine/held-words.ts";
import type { HeldDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./why.module.css";

/** Why the message is held: the reason, and what spoke against it in words, strongest first. */
export function Why({ message: { reason, score, findings } }: { message: HeldDetail }) {
  const told = findings.map((finding) => ({ finding, words: findingInWords(finding) }));
  const isSymbol = (finding: string) => /^[A-Z0-9_]+$/.test(finding);
  return (
    <Panel title="Why it is held">
      <Text>
        {reasons[reason].sentence}
        {score !== null && ` rspamd gave it ${score.toFixed(1)} points.`}
      </Text>
      {told.length > 0 && (
        <ul className={classes.findings}>
          {told.map(({ finding, words }) => (
            <li key={finding} className={classes.finding}>
              <span>{words ?? "A rule of rspamd"}</span>
              {isSymbol(finding) && <code className={classes.symbol}>{finding}</code>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
