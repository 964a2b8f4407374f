import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./api-key-list.module.css";
import { accessLabel, creatorName, keyStatus } from "./key-labels.ts";
import type { ApiKeyRow, KeyState } from "./queries.ts";

export const apiKeyList = (state: KeyState): ListLayout<ApiKeyRow> => ({
  noun: "API keys",
  label: "API keys",
  standardSort: "-created",
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 5fr)",
      sort: "name",
      cell: (key) => <KeyName apiKey={key} />,
    },
    {
      area: "prefix",
      header: "Token",
      kind: "text",
      width: "124px",
      isMuted: true,
      isOptional: true,
      cell: ({ prefix }) => <span className={classes.prefix}>{prefix}…</span>,
    },
    {
      area: "access",
      header: "Access",
      kind: "text",
      width: "minmax(0, 6fr)",
      cell: (key) =>
        `${accessLabel(key)}${key.allowedAddresses.length > 0 ? " (IP restricted)" : ""}`,
    },
    {
      area: "creator",
      header: "Created by",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      cell: creatorName,
    },
    {
      area: "created",
      header: "Created",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    {
      area: "used",
      header: state === "revoked" ? "Revoked" : "Last used",
      kind: "moment",
      width: "124px",
      sort: "-used",
      cell: ({ revokedAt: revoked, lastUsedAt: used }) => {
        const at = revoked ?? used;
        return at === null ? "Never" : <RelativeTime at={at} />;
      },
    },
    menuColumn(
      ({ name }) => name,
      ({ id }) => (
        <>
          <LinkItem href={`/console/emails?key=${id}`}>View emails</LinkItem>
          <LinkItem href={`/console/logs?apiKey=${id}`}>View requests</LinkItem>
          <CopyItem value={id}>Copy ID</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"name menu" auto "access used" auto / minmax(0, 1fr) auto`,
});

function KeyName({ apiKey }: { apiKey: ApiKeyRow }) {
  const status = keyStatus(apiKey);
  return (
    <>
      <ListRowLink href={`/console/api-keys/${apiKey.id}`}>{apiKey.name}</ListRowLink>
      {status.tone === "failed" && <Status {...status} />}
    </>
  );
}
