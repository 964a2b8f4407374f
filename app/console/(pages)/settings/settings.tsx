"use client";

import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { usePrivileges } from "#app/console/privileges.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import { AllowedAddresses } from "./allowed-addresses.tsx";
import { CompanySettingsTab } from "./company-settings.tsx";
import { type CompanySettings, settingsQuery } from "./queries.ts";
import { TwoFactorRequirement } from "./two-factor-requirement.tsx";
import { SessionLength } from "./session-length.tsx";
import { CompanySessions } from "./company-sessions.tsx";
import { CompanyUsage } from "./usage.tsx";

const TABS = ["company", "access", "usage", "sessions"] as const;
const HELP = { company: "spam", access: "sign-in", usage: "limits", sessions: "sign-in" } as const;

/** The open tab is in the URL. */
export function ConsoleSettings() {
  const settings = useQuery(settingsQuery);
  const param = useSearchParams().get("tab");
  const seesSessions = usePrivileges().has("manage_admins");
  const tab = TABS.find((name) => name === param) ?? "company";
  return (
    <>
      <PageHeader
        title="Settings"
        help={HELP[tab]}
        description="Manage your company’s settings, limits, and sessions."
      />
      <QueryView query={settings} noun="the settings" skeleton={<SettingsSkeleton />}>
        {(settings) => (
          <Tabs
            value={tab}
            onChange={(next) => replaceSearch(next === "company" ? "?" : `?tab=${next}`)}
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="company">Company</Tabs.Tab>
              <Tabs.Tab value="access">Access</Tabs.Tab>
              <Tabs.Tab value="usage">Usage</Tabs.Tab>
              {seesSessions && <Tabs.Tab value="sessions">Sessions</Tabs.Tab>}
            </Tabs.List>
            <Tabs.Panel value="company">
              <CompanySettingsTab settings={settings} />
            </Tabs.Panel>
            <Tabs.Panel value="access">
              <AccessSettings settings={settings} />
            </Tabs.Panel>
            <Tabs.Panel value="usage">
              <CompanyUsage />
            </Tabs.Panel>
            {seesSessions && (
              <Tabs.Panel value="sessions">
                <CompanySessions />
              </Tabs.Panel>
            )}
          </Tabs>
        )}
      </QueryView>
    </>
  );
}

function AccessSettings({ settings }: { settings: CompanySettings }) {
  return (
    <Stack gap="md">
      <TwoFactorRequirement settings={settings} />
      <SessionLength settings={settings} />
      <AllowedAddresses settings={settings} />
    </Stack>
  );
}

function SettingsSkeleton() {
  return (
    <>
      <Skeleton height={14} width="min(320px, 80%)" mt={10} mb={28} />
      <Panel>
        <Stack gap="lg">
          <Skeleton height={14} width={140} />
          <Skeleton height={62} width="min(400px, 100%)" />
          <Skeleton height={36} width={96} />
        </Stack>
      </Panel>
    </>
  );
}
