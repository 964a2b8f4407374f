"use client";

import { Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useMe } from "#app/console/privileges.ts";
import { TwoFactor } from "#app/console/second-factors/two-factor.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";

import { ChangePassword } from "./change-password.tsx";
import { Notifications } from "./notifications.tsx";
import { ProfileDetails } from "./profile-details.tsx";
import { profileQuery, type UserProfile } from "./queries.ts";
import { OwnSessions } from "./own-sessions.tsx";

/** The admin's own settings. Until a required second factor is set up, this is the only page they can open. */
export function Profile() {
  const profile = useQuery(profileQuery);
  const me = useMe();
  const mustAddFactor = me?.secondFactorDue ?? false;
  return (
    <>
      <PageHeader
        title={mustAddFactor ? "Set up a second factor" : "Your profile"}
        help="sign-in"
        description={
          mustAddFactor
            ? `${me?.company.name ?? "Your company"} requires a second factor in addition to your password. Set one up to continue.`
            : "Your name, notifications, sign-in methods, and sessions."
        }
      />
      <QueryView query={profile} noun="your profile" skeleton={<ProfileSkeleton />}>
        {(profile) =>
          mustAddFactor ? <OwnTwoFactor profile={profile} /> : <ProfileTabs profile={profile} />
        }
      </QueryView>
    </>
  );
}

const TABS = {
  profile: "Profile",
  notifications: "Notifications",
  security: "Security",
  sessions: "Sessions",
};

function ProfileTabs({ profile }: { profile: UserProfile }) {
  return (
    <UrlTabs labels={TABS}>
      <Tabs.Panel value="profile">
        <ProfileDetails profile={profile} />
      </Tabs.Panel>
      <Tabs.Panel value="notifications">
        <Notifications />
      </Tabs.Panel>
      <Tabs.Panel value="security">
        <Stack gap="md">
          <OwnTwoFactor profile={profile} />
          <ChangePassword email={profile.email} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="sessions">
        <OwnSessions />
      </Tabs.Panel>
    </UrlTabs>
  );
}

function OwnTwoFactor({ profile }: { profile: UserProfile }) {
  return <TwoFactor email={profile.email} factors={profile.secondFactor} canSkipPassword />;
}

function ProfileSkeleton() {
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
