"use client";

import { Button, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";

import { domainStatus } from "#app/console/(pages)/domains/domain-labels.ts";
import {
  type DnsProvider,
  doctorQuery,
  type DomainDetail,
  domainQuery,
} from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { LocalModeNotice } from "#app/console/ui/local-mode-notice.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs, useTab } from "#app/console/ui/tabs.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { DnsDoctor } from "./dns-doctor.tsx";
import { ExportRecords, MailAppRecords, RecordTable } from "./domain-records.tsx";
import {
  DomainSetUp,
  hasRequiredRecords,
  type RecordChecks,
  useRecordChecks,
} from "./domain-set-up.tsx";
import classes from "./domain.module.css";
import { ProviderHelp, useProvider } from "./provider-help.tsx";

const loading = <PanelSkeleton count={3} />;

const DomainReports = onDemand(
  () => import("./domain-reports.tsx").then((module) => module.DomainReports),
  loading,
);
const DomainSettings = onDemand(
  () => import("./domain-settings.tsx").then((module) => module.DomainSettings),
  loading,
);

export function DomainPage() {
  const { id } = useParams<{ id: string }>();
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
const PRELOADS = { reports: DomainReports.preload, settings: DomainSettings.preload };

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
        action={domain.isPublishable && <CheckRecords domain={domain} checks={checks} />}
      />
      <DomainTabs domain={domain} checks={checks} />
    </>
  );
}

const SKELETON_LINES = 8;

const DomainSkeleton = () => (
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

const DomainTabs = ({ domain, checks }: { domain: DomainDetail; checks: RecordChecks }) => (
  <UrlTabs labels={TABS} preloads={PRELOADS}>
    <Tabs.Panel value="dns">
      <Stack gap="md">
        {domain.isPublishable ? <DomainDns domain={domain} checks={checks} /> : <LocalModeNotice />}
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

const NEEDS = [
  ["required", "Required for sending"],
  ["recommended", "Recommended, and for receiving"],
  ["optional", "Optional: second DKIM key, return path, and TLS for incoming mail"],
] as const;

function DomainDns({ domain, checks }: { domain: DomainDetail; checks: RecordChecks }) {
  const provider = useProvider(domain);
  const publishing = (
    <Panel title="Records to publish" aside={<ExportRecords domain={domain} />}>
      <ProviderHelp domain={domain} checks={checks} {...provider} />
      <RecordTables domain={domain} provider={provider.chosen} />
    </Panel>
  );
  // Before ownership is verified, what to publish matters more than what was found.
  const isNew = !domain.isOwnershipVerified;
  return (
    <>
      {!hasRequiredRecords(domain) && <DomainSetUp domain={domain} checks={checks} />}
      {isNew && publishing}
      <DnsDoctor domain={domain} />
      {!isNew && publishing}
      <MailAppRecords records={domain.mailAppRecords} provider={provider.chosen} />
    </>
  );
}

type RecordTablesProps = { domain: DomainDetail; provider: DnsProvider | null };

function RecordTables({ domain, provider }: RecordTablesProps) {
  const { data: doctor } = useQuery(doctorQuery(domain));
  const table = { provider, problems: doctor?.problems ?? null };
  return NEEDS.map(([need, title]) => {
    const records = domain.records.filter((record) => record.need === need);
    return (
      records.length > 0 && (
        <section key={need} aria-label={title}>
          <Text fw={600} size="sm" mt="lg" mb="xs" component="h3">
            {title}
          </Text>
          <RecordTable {...table} records={records} label={title} />
        </section>
      )
    );
  });
}

const CheckRecords = ({
  domain,
  checks: { mayCheck, isChecking, error, check },
}: {
  domain: DomainDetail;
  checks: RecordChecks;
}) => (
  <div className={classes.check}>
    {mayCheck && (
      <Button variant="default" aria-busy={isChecking} onClick={check}>
        Check records
      </Button>
    )}
    <span role="status">
      {isChecking ? "Checking DNS records…" : <LastCheck at={domain.checkedAt} />}
    </span>
    <FormError error={error} />
  </div>
);

function LastCheck({ at }: { at: string | null }) {
  if (at === null) return "Not checked yet";
  return (
    <>
      Checked <RelativeTime at={at} />
    </>
  );
}
