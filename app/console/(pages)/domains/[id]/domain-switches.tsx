"use client";

import { Stack, Switch, Text } from "@mantine/core";

import {
  type DomainDetail,
  type DomainSwitch,
  useUpdateSwitches,
} from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { Panel } from "#app/console/ui/panel.tsx";

type Described = { field: DomainSwitch; label: string; description: string };

/** A panel of a domain's switches; text for admins who may not change them. */
export function DomainSwitches({
  domain,
  title,
  switches,
}: {
  domain: DomainDetail;
  title: string;
  switches: readonly Described[];
}) {
  const update = useUpdateSwitches(domain.id);
  const mayUpdate = usePrivileges().has("domains");
  return (
    <Panel title={title}>
      <Stack gap="md">
        {switches.map(({ field, label, description }) =>
          mayUpdate ? (
            <Switch
              key={field}
              size="md"
              label={label}
              description={description}
              checked={domain[field]}
              onChange={(event) => update({ [field]: event.currentTarget.checked })}
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
      </Stack>
    </Panel>
  );
}
