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
      <div className={classes.scroll} tabIndex={0} role="region" aria-labelledby="dmarc-sources">
        <table className={classes.table} aria-labelledby="dmarc-sources">
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col">What it probably is</th>
              <th scope="col" className={classes.number}>
                Messages
              </th>
              <th scope="col" className={classes.number}>
                Passed
              </th>
              <th scope="col" className={classes.number}>
                DKIM
              </th>
              <th scope="col" className={classes.number}>
                SPF
              </th>
              <th scope="col" className={classes.number}>
                Held back
              </th>
            </tr>
          </thead>
          <tbody>
            {sources.map((source) => (
              <Row key={source.address} source={source} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({ source }: { source: DmarcSource }) {
  const { address, host, messages, passed, dkim_passed: dkim, spf_passed: spf } = source;
  const { word, meaning, explanation } = verdictOf(source);
  return (
    <tr>
      <th scope="row">
        {serviceOf(host) ?? host ?? address}
        <span className={classes.quiet}>{host === null ? "No confirmed name" : address}</span>
      </th>
      <td className={classes.verdict}>
        <Status word={word} meaning={meaning} />
        <span className={classes.quiet}>{explanation}</span>
      </td>
      <td className={classes.number}>{inWords(messages)}</td>
      <td className={classes.number}>{shareOf(passed, messages)}</td>
      <td className={classes.number}>{shareOf(dkim, messages)}</td>
      <td className={classes.number}>{shareOf(spf, messages)}</td>
      <td className={classes.number}>{heldBack(source)}</td>
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
