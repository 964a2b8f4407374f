"use client";

import { Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { statusOf } from "#app/console/(pages)/domains/domain-words.ts";
import { type DomainDetail, domainQuery } from "#app/console/(pages)/domains/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { CopyButton } from "#app/console/ui/copy-button.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";
import { Status } from "#app/console/ui/status.tsx";

import { CheckNow } from "./check-now.tsx";
import classes from "./domain.module.css";
import { DomainSkeleton } from "./domain-skeleton.tsx";
import { Ownership } from "./ownership.tsx";
import { RecordsAndDoctor } from "./records-and-doctor.tsx";
import { Reports } from "./reports/reports.tsx";
import { Settings } from "./settings.tsx";

export function Domain({ id }: { id: string }) {
  const domain = useQuery(domainQuery(id));
  const isAtReports = useSearchParams().get("tab") === "reports";
  return (
    <>
      <Breadcrumbs trail={[{ label: "Domains", href: "/console/domains" }]} />
      <QueryView query={domain} what="this domain" skeleton={<DomainSkeleton />} titleOrder={1}>
        {(domain) => (
          <>
            <PageHeader
              title={
                <span className={classes.title}>
                  {domain.name}
                  <CopyButton value={domain.name} what="name" />
                </span>
              }
              help={isAtReports ? "reports" : "dns-records"}
              sentence={<Status {...statusOf(domain)} />}
              action={domain.is_proven && <CheckNow domain={domain} />}
            />
            {domain.is_proven ? <Sections domain={domain} /> : <Unproven domain={domain} />}
          </>
        )}
      </QueryView>
    </>
  );
}

function Unproven({ domain }: { domain: DomainDetail }) {
  return (
    <Stack gap="md">
      <Ownership domain={domain} />
      <Settings domain={domain} />
    </Stack>
  );
}

const TABS = ["dns", "reports", "settings"] as const;

/** The sections of a domain; the open one is in the URL. */
function Sections({ domain }: { domain: DomainDetail }) {
  const asked = useSearchParams().get("tab");
  const tab = TABS.find((name) => name === asked) ?? "dns";
  return (
    <Tabs
      value={tab}
      onChange={(next) => showSearch(next === "dns" ? "?" : `?tab=${next}`)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="dns">DNS</Tabs.Tab>
        <Tabs.Tab value="reports">Reports</Tabs.Tab>
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="dns">
        <Stack gap="md">
          <RecordsAndDoctor domain={domain} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="reports">
        <Stack gap="md">
          <Reports domain={domain} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <Stack gap="md">
          <Settings domain={domain} />
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
