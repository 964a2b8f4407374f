"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { meQuery, setUpQuery } from "#app/account/queries.ts";
import { SetUpGuide } from "#app/account/set-up-guide/set-up-guide.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

export function SetUpMailApps() {
  const setUp = useQuery(setUpQuery);
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader
        title="Set up mail apps"
        description="Most apps find these settings from your email address."
      />
      <QueryView query={setUp} noun="the settings" skeleton={<Skeleton height={480} />}>
        {(setUp) => (
          <SetUpGuide
            setUp={setUp}
            accepted={
              me && {
                mailboxPassword: me.acceptsPassword,
                appPasswords: me.allows.appPasswords,
              }
            }
          />
        )}
      </QueryView>
    </>
  );
}
