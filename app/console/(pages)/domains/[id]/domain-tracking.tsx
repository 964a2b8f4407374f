"use client";

import { Stack, Switch, Text } from "@mantine/core";

import { type DomainDetail, useUpdateTracking } from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

const SWITCHES = [
  {
    field: "open_tracking",
    label: "Open tracking",
    description:
      "Adds a one-pixel image to HTML emails and records when it loads. Many mail apps block images or load them automatically, so treat opens as an estimate.",
  },
  {
    field: "click_tracking",
    label: "Click tracking",
    description:
      "Routes the links in HTML emails through this server and records clicks. Tracked links work for 180 days. Links to other sites show their destination first.",
  },
] as const;

export function DomainTracking({ domain }: { domain: DomainDetail }) {
  const tracking = useUpdateTracking(domain.id);
  const mayUpdate = usePrivileges().has("domains");
  return (
    <Panel title="Tracking">
      <Stack gap="md">
        {SWITCHES.map(({ field, label, description }) =>
          mayUpdate ? (
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
          Changes apply to emails sent from now on.
        </Text>
        <FormError error={tracking.error} />
      </Stack>
    </Panel>
  );
}
