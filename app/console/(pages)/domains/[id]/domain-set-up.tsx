import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { type DomainDetail, doctorQuery } from "#app/console/(pages)/domains/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { typographic } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./domain-set-up.module.css";
import { setUpSteps } from "./set-up-steps.ts";
import type { RecordChecks } from "./use-record-checks.ts";

/** The steps until a domain sends and receives, with the results of the automatic checks. */
export function DomainSetUp({ domain, checks }: { domain: DomainDetail; checks: RecordChecks }) {
  const doctor = useQuery(doctorQuery(domain));
  const steps = setUpSteps(domain, doctor.data?.problems ?? null);
  return (
    <Panel title="Setup" aside={<NextCheck {...checks} />}>
      <ol className={classes.steps} aria-live="polite">
        {steps.map(({ name, tone, state, text }, place) => (
          <li key={name} className={classes.step} data-tone={tone}>
            <span className={classes.number} aria-hidden="true">
              {place + 1}
            </span>
            <div>
              <div className={classes.head}>
                <Title order={3} size="sm">
                  {name}
                </Title>
                <Status tone={tone} label={state} />
              </div>
              <Text size="sm" c="dimmed">
                {typographic(text)}
              </Text>
            </div>
          </li>
        ))}
      </ol>
      {!domain.isOwnershipVerified && (
        <Text size="sm" c="dimmed" mt="md">
          Publish all records below in one visit to the DNS provider of {domain.zone}. Most
          providers publish new records within a few minutes.
        </Text>
      )}
    </Panel>
  );
}

function NextCheck({ mayCheck, isChecking, secondsLeft }: RecordChecks) {
  if (!mayCheck)
    return (
      <Text size="sm" c="dimmed">
        You need the Domains privilege to check records.
      </Text>
    );
  if (!isChecking && secondsLeft === null) return null;
  return (
    <Text size="sm" c="dimmed" className={classes.next}>
      {isChecking ? "Checking…" : `Next check in ${secondsLeft} s`}
    </Text>
  );
}
