"use client";

import { Text } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";

import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { createdColumn } from "#app/console/ui/list-columns.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { CopyItem, LinkItem } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { CompanyAllowList } from "./company-allow-list.tsx";
import { accessLabel, type ApiKeyRow, creatorName, KEYS_REFRESH_MS, keyStatus } from "./queries.ts";
import { SendEmailSamples } from "./send-email-samples.tsx";

export function ApiKeys() {
  const isRevoked = useSearchParams().get("state") === "revoked";
  return (
    <ListPage
      list="apiKeys.list"
      title="API keys"
      description="Applications use API keys to send emails and call the API."
      help="first-email"
      noun="API keys"
      standardSort="-created"
      settings={{ refetchInterval: KEYS_REFRESH_MS }}
      input={{ query: { state: isRevoked ? "revoked" : "active" } }}
      controls={() => <KeyStates isRevoked={isRevoked} />}
      create={{ label: "Create API key", href: "/console/api-keys/new" }}
      empty={(_, create) => (
        <>
          <FilterBar>
            <KeyStates isRevoked={isRevoked} />
          </FilterBar>
          {isRevoked ? <NoRevokedKeys create={create} /> : <NoApiKeys create={create} />}
        </>
      )}
      columns={{
        name: {
          header: "Name",
          kind: "name",
          width: "minmax(0, 5fr)",
          sort: "name",
          cell: (key) => <KeyName apiKey={key} />,
        },
        prefix: {
          header: "Token",
          width: "124px",
          isMuted: true,
          isOptional: true,
          cell: ({ prefix }) => (
            <Text span ff="monospace" fz="sm">
              {prefix}…
            </Text>
          ),
        },
        access: {
          header: "Access",
          width: "minmax(0, 6fr)",
          cell: (key) =>
            `${accessLabel(key)}${key.allowedAddresses.length > 0 ? " (IP restricted)" : ""}`,
        },
        creator: {
          header: "Created by",
          width: "minmax(0, 3fr)",
          isOptional: true,
          cell: creatorName,
        },
        created: { ...createdColumn("Created"), isOptional: true },
        used: {
          header: isRevoked ? "Revoked" : "Last used",
          kind: "moment",
          width: "124px",
          sort: "-used",
          cell: ({ revokedAt: revoked, lastUsedAt: used }) => {
            const at = revoked ?? used;
            return at === null ? "Never" : <RelativeTime at={at} />;
          },
        },
      }}
      nameOf={({ name }) => name}
      menu={({ id }) => (
        <>
          <LinkItem href={`/console/emails?key=${id}`}>View emails</LinkItem>
          <LinkItem href={`/console/logs?apiKey=${id}`}>View requests</LinkItem>
          <CopyItem value={id}>Copy ID</CopyItem>
        </>
      )}
      phone={`"name name menu" auto "access used used" auto / minmax(0, 1fr) auto 28px`}
      below={() => !isRevoked && <CompanyAllowList />}
    />
  );
}

function KeyStates({ isRevoked }: { isRevoked: boolean }) {
  return (
    <FilterChips label="Status">
      <FilterChip label="Active" change={{ state: "" }} isActive={!isRevoked} />
      <FilterChip label="Revoked" change={{ state: "revoked" }} isActive={isRevoked} />
    </FilterChips>
  );
}

function NoRevokedKeys({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="No revoked API keys">
      <Text>Revoked keys stay here, so that you can see what they were used for.</Text>
      <div>{create}</div>
    </EmptyState>
  );
}

function NoApiKeys({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Create your first API key">
      <Text>
        Applications use an API key to send emails and call the API. Create a separate key for each
        application, so you can see what each one does and revoke one without affecting the others.
      </Text>
      <div>{create}</div>
      <Text mt="xs">Then run this code to send an email:</Text>
      <SendEmailSamples />
    </EmptyState>
  );
}

function KeyName({ apiKey }: { apiKey: ApiKeyRow }) {
  const status = keyStatus(apiKey);
  return (
    <>
      <ListRowLink href={`/console/api-keys/${apiKey.id}`}>{apiKey.name}</ListRowLink>
      {status.tone === "failed" && <Status {...status} />}
    </>
  );
}
