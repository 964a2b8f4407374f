"use client";

import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { domainStatus } from "#app/console/(pages)/domains/domain-labels.ts";
import { type DomainDetail, domainQuery } from "#app/console/(pages)/domains/queries.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { CopyButton } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { UrlTabs, useTab } from "#app/console/ui/tabs.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { CheckRecords } from "./check-records.tsx";
import classes from "./domain.module.css";
import { DomainDns } from "./domain-dns.tsx";
import { DomainReports } from "./reports/domain-reports.tsx";
import { DomainSettings } from "./domain-settings.tsx";
import { type RecordChecks, useRecordChecks } from "./use-record-checks.ts";

export function DomainDetails({ id }: { id: string }) {
  const domain = useQuery(domainQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Domains", href: "/console/domains" }]} />
      <QueryView query={domain} noun="this domain" skeleton={<DomainSkeleton />} titleOrder={1}>
        {(domain) => <LoadedDomain domain={domain} />}
      </QueryView>
    </>
  );
}

const TABS = { dns: "DNS", reports: "Reports", settings: "Settings" };

function LoadedDomain({ domain }: { domain: DomainDetail }) {
  const checks = useRecordChecks(domain);
  const isReportsTab = useTab(TABS) === "reports";
  return (
    <>
      <PageHeader
        documentTitle={`${domain.name} · Domains`}
        title={
          <span className={classes.title}>
            {domain.name}
            <CopyButton value={domain.name} label="name" />
          </span>
        }
        help={isReportsTab ? "reports" : "dns-records"}
        description={<Status {...domainStatus(domain)} />}
        action={<CheckRecords domain={domain} checks={checks} />}
      />
      <DomainTabs domain={domain} checks={checks} />
    </>
  );
}

const SKELETON_LINES = 8;

export function DomainSkeleton() {
  return (
    <>
      <Skeleton height={20} width="min(320px, 60%)" mt={4} mb={8} />
      <Skeleton height={12} width={96} mb={32} />
      <Panel>
        <Skeleton height={14} width={140} mb="xl" />
        <Stack gap={28}>
          {Array.from({ length: SKELETON_LINES }, (_, line) => (
            <Skeleton key={line} height={12} width={`${55 + ((line * 17) % 40)}%`} />
          ))}
        </Stack>
      </Panel>
    </>
  );
}

function DomainTabs({ domain, checks }: { domain: DomainDetail; checks: RecordChecks }) {
  return (
    <UrlTabs labels={TABS}>
      <Tabs.Panel value="dns">
        <Stack gap="md">
          <DomainDns domain={domain} checks={checks} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="reports">
        <Stack gap="md">
          <DomainReports domain={domain} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack gap="md">
          <DomainSettings domain={domain} />
        </Stack>
      </Tabs.Panel>
    </UrlTabs>
  );
}
