"use client";

import { Skeleton } from "@mantine/core";
import Link from "next/link";

import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { useRowKeys } from "#app/console/ui/use-row-keys.ts";

import classes from "./domain-list.module.css";
import { attentionOf, statusOf } from "./domain-words.ts";
import type { DomainRow } from "./queries.ts";

// One markup for both: on a phone the style sheet makes cards of the rows, and the roles are spelled out
// since a row that is laid out as a grid loses its own.
export function DomainList({ domains }: { domains: DomainRow[] }) {
  const table = useRowKeys<HTMLTableElement>();
  return (
    <table ref={table} role="table" className={classes.table} aria-label="Domains, newest first">
      <thead role="rowgroup">
        <tr role="row" className={classes.columns}>
          <th role="columnheader">Name</th>
          <th role="columnheader">Status</th>
          <th role="columnheader">Mail</th>
          <th role="columnheader">To do</th>
          <th role="columnheader" className={classes.added}>
            Added
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {domains.map((domain) => (
          <Row key={domain.id} domain={domain} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ domain }: { domain: DomainRow }) {
  return (
    <tr role="row" className={classes.row}>
      <td role="cell" className={classes.name}>
        <Link href={`/console/domains/${domain.id}`} data-row-link className={classes.link}>
          {domain.name}
        </Link>
      </td>
      <td role="cell" className={classes.status}>
        <Status {...statusOf(domain)} />
      </td>
      <td role="cell" className={classes.mail}>
        {mailOf(domain)}
      </td>
      <td role="cell" className={classes.attention}>
        {attentionOf(domain) ?? <span className={classes.nothing}>Nothing</span>}
      </td>
      <td role="cell" className={classes.added}>
        <RelativeMoment at={domain.created_at} />
      </td>
    </tr>
  );
}

function mailOf({ status, receives }: DomainRow): string {
  const sends = status === "verified";
  if (sends && receives) return "Sends and receives";
  if (sends) return "Sends";
  return receives ? "Receives" : "None yet";
}

const SKELETON_ROWS = 5;

export function DomainListSkeleton() {
  return (
    <div className={classes.table}>
      <div className={classes.columns} />
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <div key={row} className={classes.row}>
          <span className={classes.name}>
            <Skeleton height={12} width={`${50 + ((row * 13) % 35)}%`} />
          </span>
          <span className={classes.status}>
            <Skeleton height={12} width={84} />
          </span>
          <span className={classes.mail}>
            <Skeleton height={12} width={96} />
          </span>
          <span className={classes.attention}>
            <Skeleton height={12} width="60%" />
          </span>
          <span className={classes.added}>
            <Skeleton height={12} width={80} />
          </span>
        </div>
      ))}
    </div>
  );
}
