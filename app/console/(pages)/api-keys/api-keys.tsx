"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { ApiKeyList, ApiKeyListSkeleton } from "./api-key-list.tsx";
import classes from "./api-keys.module.css";
import { CompanyAllowList } from "./company-allow-list.tsx";
import { NoApiKeys } from "./no-api-keys.tsx";
import { apiKeysQuery } from "./queries.ts";

const HEAD = {
  title: "API keys",
  sentence: "Applications use API keys to send emails and call the API.",
  help: "first-email",
} as const;

export function ApiKeys() {
  const place = usePlace();
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
          <Chips label="Status">
            <Chip word="Active" href="?" isOn={state === "active"} />
            <Chip word="Revoked" href="?state=revoked" isOn={state === "revoked"} />
          </Chips>
        </div>
      )}
      <QueryView query={keys} what="the API keys" skeleton={<ApiKeyListSkeleton />}>
        {(page) => {
          if (isEmpty && state === "active") return <NoApiKeys />;
          if (isEmpty) return <Text py="lg">No revoked API keys.</Text>;
          return (
            <>
              <ApiKeyList keys={page.data} state={state} />
              <PagesOfList place={place} page={page} isFormer={keys.isPlaceholderData} />
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
