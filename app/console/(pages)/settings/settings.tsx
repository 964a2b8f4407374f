"use client";

import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SessionRows } from "#app/console/(pages)/profile/session-rows.tsx";
import { usePrivileges } from "#app/console/privileges.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { UrlTabs, useTab } from "#app/console/ui/tabs.tsx";

import { AllowedAddresses } from "./allowed-addresses.tsx";
import { CompanySettingsTab } from "./company-settings.tsx";
import {
  companySessionsQuery,
  type CompanySettings,
  settingsQuery,
  useEndCompanySession,
} from "./queries.ts";
import { SessionLength } from "./session-length.tsx";
import { SingleSignOn } from "./single-sign-on/single-sign-on.tsx";
import { TwoFactorRequirement } from "./two-factor-requirement.tsx";
import { CompanyUsage } from "./usage.tsx";

const SESSIONS_REFRESH_MS = 15_000;

const TABS = { company: "Company", access: "Access", usage: "Usage" };
const HELP = { company: "spam", access: "sign-in", usage: "limits", sessions: "sign-in" } as const;

export function ConsoleSettings() {
  const settings = useQuery(settingsQuery);
  const seesSessions = usePrivileges().has("manage_admins");
  const labels = { ...TABS, ...(seesSessions && { sessions: "Sessions" }) };
  const tab = useTab(labels);
  return (
    <>
      <PageHeader
        title="Settings"
        help={HELP[tab]}
        description="Manage your company’s settings, limits, and sessions."
      />
      <QueryView query={settings} noun="the settings" skeleton={<SettingsSkeleton />}>
        {(settings) => (
          <UrlTabs labels={labels}>
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
          </UrlTabs>
        )}
      </QueryView>
    </>
  );
}

function AccessSettings({ settings }: { settings: CompanySettings }) {
  return (
    <Stack gap="md">
      <TwoFactorRequirement settings={settings} />
      <SingleSignOn />
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

function CompanySessions() {
  const sessions = useQuery({ ...companySessionsQuery, refetchInterval: SESSIONS_REFRESH_MS });
  const end = useEndCompanySession();
  const { isOwner } = usePrivileges();
  return (
    <Panel title="Active sessions">
      <QueryView query={sessions} noun="the sessions" skeleton={<Skeleton height={120} />}>
        {({ data }) => (
          <SessionRows
            sessions={data}
            titleBy="admin"
            end={end}
            mayEnd={(session) => isOwner || !session.isOwner}
          />
        )}
      </QueryView>
    </Panel>
  );
}
