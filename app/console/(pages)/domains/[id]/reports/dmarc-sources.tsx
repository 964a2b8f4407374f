import { Text } from "@mantine/core";

import type { DmarcSource } from "#app/console/(pages)/domains/queries.ts";
import { Status } from "#app/console/ui/status.tsx";

import { inWords, shareOf } from "./figures.tsx";
import classes from "./reports.module.css";
import { serviceOf, verdictOf } from "./source-words.ts";

/** Servers that send in the domain's name, the busiest first, and what each probably is. */
export function DmarcSources({ sources }: { sources: DmarcSource[] }) {
  return (
    <>
      <Text fw={600} component="h3" mt="xl" id="dmarc-sources">
        Who sends as you
      </Text>
      <table role="table" className={classes.sources} aria-labelledby="dmarc-sources">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Server</th>
            <th role="columnheader">What it probably is</th>
            {NUMBERS.map(({ head }) => (
              <th key={head} role="columnheader" className={classes.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {sources.map((source) => (
            <Row key={source.address} source={source} />
          ))}
        </tbody>
      </table>
    </>
  );
}

const NUMBERS: { head: string; of: (source: DmarcSource) => string }[] = [
  { head: "Messages", of: ({ messages }) => inWords(messages) },
  { head: "Passed", of: ({ passed, messages }) => shareOf(passed, messages) },
  { head: "DKIM", of: ({ dkim_passed: dkim, messages }) => shareOf(dkim, messages) },
  { head: "SPF", of: ({ spf_passed: spf, messages }) => shareOf(spf, messages) },
  { head: "Held back", of: heldBack },
];

// On a phone the style sheet makes cards of the rows, which then need their roles spelled out.
function Row({ source }: { source: DmarcSource }) {
  const { address, host } = source;
  const { word, meaning, explanation } = verdictOf(source);
  return (
    <tr role="row">
      <th role="rowheader">
        {serviceOf(host) ?? host ?? address}
        <span className={classes.quiet}>{host === null ? "No confirmed name" : address}</span>
      </th>
      <td role="cell" className={classes.verdict}>
        <Status word={word} meaning={meaning} />
        <span className={classes.quiet}>{explanation}</span>
      </td>
      {NUMBERS.map(({ head, of }) => (
        <td key={head} role="cell" className={classes.number} data-head={head}>
          {of(source)}
        </td>
      ))}
    </tr>
  );
}

function heldBack({ quarantined, rejected }: DmarcSource): string {
  const parts = [
    quarantined > 0 && `${inWords(quarantined)} to spam`,
    rejected > 0 && `${inWords(rejected)} refused`,
  ].filter(Boolean);
  return parts.join(", ") || "None";
}
