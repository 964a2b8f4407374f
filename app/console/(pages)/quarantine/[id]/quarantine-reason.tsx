import { Text } from "@mantine/core";

import { describeFinding } from "#app/console/(pages)/quarantine/describe-finding.ts";
import { reasons } from "#app/console/(pages)/quarantine/quarantine-labels.ts";
import type { QuarantineDetail } from "#app/console/(pages)/quarantine/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./quarantine-reason.module.css";

/** The reason, and the findings behind it, strongest first. */
export function QuarantineReason({
  message: { reason, score, findings },
}: {
  message: QuarantineDetail;
}) {
  const described = findings.map((finding) => ({ finding, text: describeFinding(finding) }));
  const isSymbol = (finding: string) => /^[A-Z0-9_]+$/.test(finding);
  return (
    <Panel title="Reason">
      <Text>
        {reasons[reason].sentence}
        {score !== null && ` rspamd score: ${score.toFixed(1)}.`}
      </Text>
      {described.length > 0 && (
        <ul className={classes.findings}>
          {described.map(({ finding, text }) => (
            <li key={finding} className={classes.finding}>
              <span>{text ?? "Other rspamd rule"}</span>
              {isSymbol(finding) && <code className={classes.symbol}>{finding}</code>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
