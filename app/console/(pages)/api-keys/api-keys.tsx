"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { CompanyAllowList } from "./api-key-form.tsx";
import classes from "./api-keys.module.css";
import {
  accessLabel,
  type ApiKeyRow,
  apiKeysQuery,
  creatorName,
  KEY_SORTS,
  type KeyState,
  keyStatus,
} from "./queries.ts";
import { SendEmailSamples } from "./send-email-samples.tsx";

const HEAD = {
  title: "API keys",
  sentence: "Applications use API keys to send emails and call the API.",
  help: "first-email",
} as const;

const SKELETON_ROWS = 5;

export function ApiKeys() {
  const place = usePageCursor();
  const state = useSearchParams().get("state") === "revoked" ? "revoked" : "active";
  const params = useListParams(KEY_SORTS);
  const keys = useQuery(apiKeysQuery(place, state, params.sort));
  const isEmpty = isEmptyList(keys, place, false);
  const isFirstUse = isEmpty && state === "active";
  const layout = apiKeyList(state);
  const create = (
    <Button component={Link} href="/console/api-keys/new">
      Create API key
    </Button>
  );
  return (
    <>
      <PageHeader {...HEAD} action={keys.data && !isFirstUse && create} />
      {keys.data && (
        <FilterBar>
          <FilterChips label="Status">
            <FilterChip label="Active" href="?" isActive={state === "active"} />
            <FilterChip label="Revoked" href="?state=revoked" isActive={state === "revoked"} />
          </FilterChips>
          {!isEmpty && <ListTools layout={layout} params={params} />}
        </FilterBar>
      )}
      <ListView
        {...{ layout, place, params }}
        query={keys}
        skeletonRows={SKELETON_ROWS}
        isFiltered={false}
        empty={state === "active" ? <NoApiKeys /> : <NoRevokedKeys />}
        below={state === "active" && <CompanyAllowList />}
      />
    </>
  );
}

function NoRevokedKeys() {
  return (
    <EmptyState title="No revoked API keys">
      <Text c="dimmed">Revoked keys stay here, so that you can see what they were used for.</Text>
    </EmptyState>
  );
}

/** Shown until the search parameters are known. */
export function ApiKeysSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={apiKeyList("active")} rows={SKELETON_ROWS} />
    </>
  );
}

function NoApiKeys() {
  return (
    <EmptyState title="Create your first API key">
      <Text c="dimmed">
        Applications use an API key to send emails and call the API. Create a separate key for each
        application, so you can see what each one does and revoke one without affecting the others.
      </Text>
      <div>
        <Button component={Link} href="/console/api-keys/new">
          Create API key
        </Button>
      </div>
      <Text mt="xs">Then run this code to send an email:</Text>
      <SendEmailSamples />
    </EmptyState>
  );
}

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
