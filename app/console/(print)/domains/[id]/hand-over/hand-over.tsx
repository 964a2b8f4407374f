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
import { QueryView } from "#app/console/ui/query-view.tsx";

import classes from "./hand-over.module.css";

/** One page on paper for whoever runs the DNS: what to publish, where, and what for. */
export function HandOver({ id }: { id: string }) {
  const domain = useQuery(domainQuery(id));
  return (
    <main className={classes.paper}>
      <QueryView
        query={domain}
        noun="this domain"
        skeleton={<Skeleton height={480} />}
        titleOrder={1}
      >
        {(domain) => <Sheet domain={domain} />}
      </QueryView>
    </main>
  );
}

function Sheet({ domain }: { domain: DomainDetail }) {
  const { name, zone, checked_at: checkedAt } = domain;
  return (
    <>
      <div className={classes.tools}>
        <Button variant="default" component={Link} href={`/console/domains/${domain.id}`}>
          Back to the domain
        </Button>
        <Button leftSection={<IconPrinter size={14} />} onClick={() => window.print()}>
          Print
        </Button>
      </div>
      <Title order={1}>DNS records for {name}</Title>
      <Text mt="xs">
        {domain.is_ownership_verified ? (
          <ForMail name={name} zone={zone} />
        ) : (
          <ForProof name={name} zone={zone} />
        )}
      </Text>
      <ol className={classes.records}>
        {domain.records.map((record) => (
          <Entry key={`${record.kind} ${record.type}`} record={record} />
        ))}
      </ol>
      <Title order={2}>Good to know</Title>
      <ul className={classes.notes}>
        <li>
          Names are written in full. Where the form adds .{zone} by itself, leave that out; the
          domain alone is often written @.
        </li>
        <li>Values of TXT records are one line, without quotes and without spaces added.</li>
        <li>
          Long values may have to be split into strings of at most 255 characters; most providers do
          that by themselves.
        </li>
        <li>TTL: whatever is usual, such as 3600.</li>
        <li>Records of a mail domain are not proxied: DNS only.</li>
      </ul>
      {checkedAt !== null && (
        <Text size="sm" c="dimmed" mt="lg">
          Found or not as of <ExactTime at={checkedAt} />.
        </Text>
      )}
    </>
  );
}

type Names = { name: string; zone: string };

function ForProof({ name, zone }: Names) {
  return `Please publish this record in the DNS of ${zone}. It proves that ${name} is ours; the records for mail come after it.`;
}

function ForMail({ name, zone }: Names) {
  return (
    <>
      Please publish these records in the DNS of {zone}. They let {name} send and receive mail
      through our mail server. All other records stay as they are. Where a TXT record with the same
      beginning, such as <code>v=spf1</code>, already stands at a host, the one below replaces it
      and keeps what was in it.
    </>
  );
}

const NEEDS = { required: "Needed", recommended: "Recommended", optional: "Optional" };

function Entry({ record }: { record: DomainRecord }) {
  const { label, purpose } = recordLabel(record);
  return (
    <li className={classes.record}>
      <h2 className={classes.label}>
        {label} <span className={classes.need}>{NEEDS[record.need]}</span>
        {record.is_verified && <span className={classes.need}>Already there</span>}
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
          <code>{record.value || "Being prepared"}</code>
        </dd>
      </dl>
    </li>
  );
}
