"use client";

import { Button, Skeleton, Text, Title } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { recordLabel } from "#app/console/(pages)/domains/domain-labels.ts";
import {
  type DomainDetail,
  domainQuery,
  type DomainRecord,
} from "#app/console/(pages)/domains/queries.ts";
import { ExactTime } from "#app/console/ui/time.tsx";
import { LocalModeNotice } from "#app/console/ui/local-mode-notice.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import classes from "./hand-over.module.css";

/** Printable instructions for the person who manages the DNS. */
export function DnsHandOver({ id }: { id: string }) {
  const domain = useQuery(domainQuery(id));
  return (
    <main className={classes.paper}>
      <QueryView
        query={domain}
        noun="this domain"
        skeleton={<Skeleton height={480} />}
        titleOrder={1}
      >
        {(domain) =>
          domain.isPublishable ? <DnsInstructions domain={domain} /> : <LocalModeNotice />
        }
      </QueryView>
    </main>
  );
}

function DnsInstructions({ domain }: { domain: DomainDetail }) {
  const { name, zone, checkedAt } = domain;
  return (
    <>
      <div className={classes.tools}>
        <Button variant="default" component={Link} href={`/console/domains/${domain.id}`}>
          Back to domain
        </Button>
        <Button leftSection={<IconPrinter size={14} />} onClick={() => window.print()}>
          Print instructions
        </Button>
      </div>
      <Title order={1}>DNS records for {name}</Title>
      <Text mt="xs">
        Publish these records in the DNS of {zone}.{" "}
        {domain.isOwnershipVerified
          ? `They let ${name} send and receive mail through our mail server.`
          : `They verify that we own ${name} and let it send and receive mail through our mail server.`}{" "}
        Don’t change any other records. If a host already has a TXT record that starts the same way,
        such as <code>v=spf1</code>, replace it with the record below, which includes its content.
      </Text>
      <ol className={classes.records}>
        {domain.records.map((record) => (
          <DnsRecordItem key={`${record.kind} ${record.type}`} record={record} />
        ))}
      </ol>
      <Title order={2}>Notes</Title>
      <ul className={classes.notes}>
        <li>
          Hosts are fully qualified. If your DNS provider appends .{zone} automatically, leave it
          out. Many providers use @ for the domain itself.
        </li>
        <li>Enter TXT values on one line, without adding quotes or spaces.</li>
        <li>
          TXT values over 255 characters must be split into several strings. Most providers do this
          automatically.
        </li>
        <li>TTL: use the default, such as 3600.</li>
        <li>Don’t proxy mail records. Choose “DNS only”.</li>
      </ul>
      {checkedAt !== null && (
        <Text size="sm" c="dimmed" mt="lg">
          Status as of <ExactTime at={checkedAt} />.
        </Text>
      )}
    </>
  );
}

const NEEDS = { required: "Required", recommended: "Recommended", optional: "Optional" };

function DnsRecordItem({ record }: { record: DomainRecord }) {
  const { label, purpose } = recordLabel(record);
  return (
    <li className={classes.record}>
      <h2 className={classes.label}>
        {label} <span className={classes.need}>{NEEDS[record.need]}</span>
        {record.isVerified && <span className={classes.need}>Verified</span>}
      </h2>
      <Text size="sm">{purpose}</Text>
      <dl className={classes.parts}>
        <dt>Type</dt>
        <dd>{record.type}</dd>
        <dt>Host</dt>
        <dd>
          <code>{record.name}</code>
        </dd>
        {record.priority !== null && (
          <>
            <dt>Priority</dt>
            <dd>{record.priority}</dd>
          </>
        )}
        <dt>Value</dt>
        <dd>
          <code>{record.value || "Generating key…"}</code>
        </dd>
      </dl>
    </li>
  );
}
