import { Menu } from "@mantine/core";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./domain-list.module.css";
import { domainStatus, nextAction } from "./domain-labels.ts";
import type { DomainRow } from "./queries.ts";

/** @param onCheck checks the DNS records of a domain now; null without the privilege */
export const domainList = (
  onCheck: ((domain: DomainRow) => void) | null,
): ListLayout<DomainRow> => ({
  noun: "domains",
  label: "Domains",
  standardSort: "-created",
  className: classes.list,
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 6fr)",
      sort: "name",
      cell: ({ id, name }) => <ListRowLink href={`/console/domains/${id}`}>{name}</ListRowLink>,
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "140px",
      cell: (domain) => <Status {...domainStatus(domain)} />,
    },
    {
      area: "mail",
      header: "Mail",
      kind: "text",
      width: "180px",
      isMuted: true,
      isOptional: true,
      cell: mailUse,
    },
    {
      area: "todo",
      header: "Next step",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: (domain) => nextAction(domain) ?? <span className={classes.nothing}>None</span>,
    },
    {
      area: "added",
      header: "Created",
      kind: "moment",
      width: "124px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ name }) => name,
      (domain) => (
        <>
          {onCheck && <Menu.Item onClick={() => onCheck(domain)}>Check records now</Menu.Item>}
          <LinkItem href={`/console/emails?domain=${domain.id}`} needs="api_controls">
            View emails
          </LinkItem>
          <CopyItem value={domain.name}>Copy name</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"name menu" auto "status status" auto "todo todo" auto / minmax(0, 1fr) auto`,
});

function mailUse({ status, receives }: DomainRow): string {
  const sends = status === "verified";
  if (sends && receives) return "Sending and receiving";
  if (sends) return "Sending";
  return receives ? "Receiving" : "Not ready";
}
