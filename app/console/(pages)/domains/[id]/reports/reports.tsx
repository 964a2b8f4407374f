"use client";

import { Button, Text } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import Link from "next/link";

import {
  type DomainDetail,
  REPORT_DAYS,
  type ReportDays,
} from "#app/console/(pages)/domains/queries.ts";
import { inPlace } from "#app/console/ui/show-search.ts";

import { Dmarc } from "./dmarc.tsx";
import classes from "./reports.module.css";
import { Tls } from "./tls.tsx";

/** What other mail servers report about mail from and to the domain; the span is in the URL. */
export function Reports({ domain }: { domain: DomainDetail }) {
  const asked = useSearchParams().get("days");
  const days = REPORT_DAYS.find((known) => known === asked) ?? "30";
  return (
    <>
      <nav aria-label="Span of the reports" className={classes.spans}>
        <Text c="dimmed">Other mail servers report once a day.</Text>
        <div className={classes.links}>
          {REPORT_DAYS.map((span) => (
            <Span key={span} span={span} isHere={span === days} />
          ))}
        </div>
      </nav>
      <Dmarc domain={domain} days={days} />
      <Tls domain={domain} days={days} />
    </>
  );
}

function Span({ span, isHere }: { span: ReportDays; isHere: boolean }) {
  const href = `?tab=reports&days=${span}`;
  return (
    <Button
      component={Link}
      href={href}
      onNavigate={inPlace(href)}
      size="xs"
      variant={isHere ? "light" : "default"}
      aria-current={isHere ? "true" : undefined}
    >
      {span} days
    </Button>
  );
}
