"use client";

import { Button, Text } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import Link from "next/link";

import {
  type DomainDetail,
  REPORT_DAYS,
  type ReportDays,
} from "#app/console/(pages)/domains/queries.ts";
import { navigateInPlace } from "#app/console/ui/url-search.ts";

import { DmarcPanel } from "./dmarc-panel.tsx";
import classes from "./reports.module.css";
import { TlsPanel } from "./tls-panel.tsx";

/** DMARC and TLS reports from other mail servers. The period is in the URL. */
export function DomainReports({ domain }: { domain: DomainDetail }) {
  const param = useSearchParams().get("days");
  const days = REPORT_DAYS.find((known) => known === param) ?? "30";
  return (
    <>
      <nav aria-label="Report period" className={classes.spans}>
        <Text c="dimmed">Other mail servers send reports once a day.</Text>
        <div className={classes.links}>
          {REPORT_DAYS.map((period) => (
            <PeriodLink key={period} days={period} isCurrent={period === days} />
          ))}
        </div>
      </nav>
      <DmarcPanel domain={domain} days={days} />
      <TlsPanel domain={domain} days={days} />
    </>
  );
}

function PeriodLink({ days, isCurrent }: { days: ReportDays; isCurrent: boolean }) {
  const href = `?tab=reports&days=${days}`;
  return (
    <Button
      component={Link}
      href={href}
      onNavigate={navigateInPlace(href)}
      size="xs"
      variant={isCurrent ? "light" : "default"}
      aria-current={isCurrent ? "true" : undefined}
    >
      {days} days
    </Button>
  );
}
