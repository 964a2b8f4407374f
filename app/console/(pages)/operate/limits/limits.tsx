"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { ErasePerson } from "./erase-person.tsx";
import { InstanceChanges } from "./instance-changes.tsx";
import classes from "./limits.module.css";
import { settingsQuery } from "./queries.ts";
import { LimitSettingRow } from "./setting-row.tsx";

export function ServerLimits() {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <PageHeader
        title="Limits"
        help="limits"
        description="Changes take effect within two seconds. On the command line, use posthouse settings set."
      />
      <QueryView query={settings} noun="the settings" skeleton={<Skeleton height={720} />}>
        {({ settings, changes }) => (
          <Stack gap="md">
            <Panel>
              <ul className={classes.settings}>
                {settings.map((setting) => (
                  <LimitSettingRow key={`${setting.name} ${setting.changedAt}`} setting={setting} />
                ))}
              </ul>
            </Panel>
            <ErasePerson />
            <InstanceChanges changes={changes} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}
