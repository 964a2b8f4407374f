"use client";

import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { useMe } from "#app/console/rights.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import { Due } from "./due.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { type You as Person, youQuery } from "./queries.ts";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

/** What is the person's own: open to everybody who signs in, also before a second factor that is due. */
export function You() {
  const you = useQuery(youQuery);
  const isDue = useMe()?.second_factor_due ?? false;
  return (
    <>
      <PageHeader
        title={isDue ? "Set up a second factor" : "You"}
        help="sign-in"
        sentence={isDue ? <Due /> : "Who you are here, and how you sign in."}
      />
      <QueryView query={you} what="your profile" skeleton={<YouSkeleton />}>
        {(you) => (isDue ? <SecondFactor you={you} /> : <Sections you={you} />)}
      </QueryView>
    </>
  );
}

const TABS = ["profile", "security", "sessions"] as const;

/** The open section is in the URL. */
function Sections({ you }: { you: Person }) {
  const asked = useSearchParams().get("tab");
  const tab = TABS.find((name) => name === asked) ?? "profile";
  return (
    <Tabs
      value={tab}
      onChange={(next) => showSearch(next === "profile" ? "?" : `?tab=${next}`)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="profile">Profile</Tabs.Tab>
        <Tabs.Tab value="security">Security</Tabs.Tab>
        <Tabs.Tab value="sessions">Sessions</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="profile">
        <Profile you={you} />
      </Tabs.Panel>
      <Tabs.Panel value="security">
        <Stack gap="md">
          <SecondFactor you={you} />
          <Password email={you.email} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="sessions">
        <Sessions />
      </Tabs.Panel>
    </Tabs>
  );
}

function YouSkeleton() {
  return (
    <Panel>
      <Stack gap="lg">
        <Skeleton height={14} width={140} />
        <Skeleton height={62} width="min(400px, 100%)" />
        <Skeleton height={36} width={96} />
      </Stack>
    </Panel>
  );
}
