"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { ApiKeyList, ApiKeyListSkeleton } from "./api-key-list.tsx";
import classes from "./api-keys.module.css";
import { CompanyAllowList } from "./company-allow-list.tsx";
import { apiKeysQuery } from "./queries.ts";
import { SendEmailSamples } from "./send-email-samples.tsx";

const HEAD = {
  title: "API keys",
  sentence: "Applications use API keys to send emails and call the API.",
  help: "first-email",
} as const;

export function ApiKeys() {
  const place = usePageCursor();
  const state = useSearchParams().get("state") === "revoked" ? "revoked" : "active";
  const keys = useQuery(apiKeysQuery(place, state));
  const isEmpty = keys.data?.data.length === 0 && !place.after && !place.before;
  const create = (
    <Button component={Link} href="/console/api-keys/new">
      Create API key
    </Button>
  );
  return (
    <>
      <PageHeader {...HEAD} action={keys.data && (!isEmpty || state === "revoked") && create} />
      {keys.data && (
        <div className={classes.filters}>
          <FilterChips label="Status">
            <FilterChip label="Active" href="?" isActive={state === "active"} />
            <FilterChip label="Revoked" href="?state=revoked" isActive={state === "revoked"} />
          </FilterChips>
        </div>
      )}
      <QueryView query={keys} noun="the API keys" skeleton={<ApiKeyListSkeleton />}>
        {(page) => {
          if (isEmpty && state === "active") return <NoApiKeys />;
          if (isEmpty) return <Text py="lg">No revoked API keys.</Text>;
          return (
            <>
              <ApiKeyList keys={page.data} state={state} />
              <Pagination cursor={place} page={page} isPlaceholder={keys.isPlaceholderData} />
              {state === "active" && <CompanyAllowList />}
            </>
          );
        }}
      </QueryView>
    </>
  );
}

/** Shown until the search parameters are known. */
export function ApiKeysSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <ApiKeyListSkeleton />
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
