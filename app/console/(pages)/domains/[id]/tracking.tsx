"use client";

import { Stack, Switch, Text } from "@mantine/core";

import { type DomainDetail, useSwitchTracking } from "#app/console/(pages)/domains/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

const SWITCHES = [
  {
    field: "open_tracking",
    label: "Open tracking",
    description:
      "Adds an image of one pixel to HTML emails, and records when it is loaded. Many mail programs load images by themselves or never, so read it as a hint.",
  },
  {
    field: "click_tracking",
    label: "Click tracking",
    description:
      "Leads the links of HTML emails through this server, and records when one is followed. They work for 180 days; links to sites that are not yours show first where they lead.",
  },
] as const;

/** Switches for what is recorded about readers. They show the new state at once. */
export function Tracking({ domain }: { domain: DomainDetail }) {
  const tracking = useSwitchTracking(domain.id);
  const maySwitch = useRights().has("domains");
  return (
    <Panel title="Tracking">
      <Stack gap="md">
        {SWITCHES.map(({ field, label, description }) =>
          maySwitch ? (
            <Switch
              key={field}
              size="md"
              label={label}
              description={description}
              checked={domain[field]}
              onChange={(event) => tracking.mutate({ [field]: event.currentTarget.checked })}
            />
          ) : (
            <div key={field}>
              {label}: {domain[field] ? "on" : "off"}
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            </div>
          ),
        )}
        <Text size="sm" c="dimmed">
          A change applies to emails sent from then on.
        </Text>
        <FormProblem error={tracking.error} />
      </Stack>
    </Panel>
  );
}
