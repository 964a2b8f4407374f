import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { displayName, listStatus, localPart, roleSummary } from "./admin-text.ts";
import type { AdminRow } from "./queries.ts";
import classes from "./team-list.module.css";

export const TEAM_LIST: ListLayout<AdminRow> = {
  noun: "admins",
  label: "Admins",
  standardSort: "email",
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 4fr)",
      sort: "name",
      cell: (admin) => (
        <>
          <ListRowLink href={`/console/team/${admin.id}`} title={admin.email}>
            {admin.name || localPart(admin)}
          </ListRowLink>
          {admin.isSelf && <span className={classes.self}>(you)</span>}
        </>
      ),
    },
    {
      area: "email",
      header: "Email address",
      kind: "text",
      width: "minmax(0, 5fr)",
      isMuted: true,
      sort: "email",
      cell: ({ email }) => email,
    },
    {
      area: "roles",
      header: "Roles",
      kind: "text",
      width: "minmax(0, 5fr)",
      canHide: true,
      cell: roleSummary,
    },
    {
      area: "factor",
      header: "Second factor",
      kind: "status",
      width: "104px",
      isOptional: true,
      canHide: true,
      cell: ({ hasSecondFactor: hasFactor }) => (
        <Status tone={hasFactor ? "done" : "none"} label={hasFactor ? "On" : "Off"} />
      ),
    },
    {
      area: "state",
      header: "Access",
      kind: "status",
      width: "112px",
      cell: (admin) => <Status {...listStatus(admin)} />,
    },
    {
      area: "seen",
      header: "Last seen",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-seen",
      cell: ({ lastSeenAt: at }) => (at === null ? "Never" : <RelativeTime at={at} />),
    },
    menuColumn<AdminRow>(displayName, ({ id, email }) => (
      <>
        <LinkItem href={`/console/team/${id}`}>Change roles</LinkItem>
        <LinkItem href={changesBy(email)} needs="view_audit">
          View changes by this admin
        </LinkItem>
        <CopyItem value={email}>Copy address</CopyItem>
      </>
    )),
  ],
  phone: `"name menu" auto "email email" auto "roles state" auto / minmax(0, 1fr) auto`,
};

const changesBy = (email: string) =>
  `/console/audit?${new URLSearchParams({ actor: email, actorKind: "admin" }).toString()}`;
