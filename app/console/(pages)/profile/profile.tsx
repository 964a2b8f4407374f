"use client";

import { Button, PasswordInput, Skeleton, Stack, Tabs, Text, TextInput } from "@mantine/core";

import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useMe, useSwitchCompany } from "#app/console/session.ts";
import { TwoFactor } from "#app/console/second-factors/two-factor.tsx";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { repeats, required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";

import { Notifications } from "./notifications.tsx";
import { SessionRows } from "./session-rows.tsx";

type UserProfile = AnswerOf<"profile.get">;

/** The admin's own settings. Until a required second factor is set up, this is the only page they can open. */
export function Profile() {
  const profile = useRead("profile.get", {});
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

const ProfileTabs = ({ profile }: { profile: UserProfile }) => (
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

const OwnTwoFactor = ({ profile }: { profile: UserProfile }) => (
  <TwoFactor email={profile.email} factors={profile.secondFactor} canSkipPassword />
);

const ProfileSkeleton = () => (
  <Panel>
    <Stack gap="lg">
      <Skeleton height={14} width={140} />
      <Skeleton height={62} width="min(400px, 100%)" />
      <Skeleton height={36} width={96} />
    </Stack>
  </Panel>
);

const ProfileDetails = ({ profile }: { profile: UserProfile }) => (
  <Stack gap="md">
    <Panel title="Profile">
      <ProfileNameForm profile={profile} />
    </Panel>
    <Panel title="Companies">
      <ProfileCompanies companies={profile.companies} />
    </Panel>
  </Stack>
);

function ProfileNameForm({ profile }: { profile: UserProfile }) {
  const rename = useChange("profile.update", { invalidates: ["profile.get", "sessions.getMe"] });
  const form = useForm({
    initialValues: { name: profile.name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: "profile-name",
    send: (body) => rename.run({ body }),
    onDone: () => toast("Name saved"),
  });

  return (
    <Form form={form} maxWidth={400} submit="Save name">
      <TextInput
        {...form.field("name")}
        description="Shown to other admins in all your companies."
        autoComplete="name"
        maxLength={200}
      />
      <div>
        <Text size="sm" fw={500}>
          Email address
        </Text>
        <Text style={{ overflowWrap: "anywhere" }}>{profile.email}</Text>
        <Text size="sm" c="dimmed">
          You sign in with this address. It can’t be changed.
        </Text>
      </div>
    </Form>
  );
}

function ProfileCompanies({ companies }: Pick<UserProfile, "companies">) {
  const change = useSwitchCompany();
  return (
    <>
      <ItemList label="Companies">
        {companies.map(({ id, name, isThisOne }) => (
          <ItemRow
            key={id}
            title={name}
            actions={
              isThisOne ? (
                <Status tone="info" label="Current" />
              ) : (
                <Button
                  variant="default"
                  aria-label={`Switch to ${name}`}
                  aria-busy={change.isPending && change.variables === id}
                  onClick={() => change.start(id)}
                >
                  Switch
                </Button>
              )
            }
          />
        ))}
      </ItemList>
    </>
  );
}

function ChangePassword({ email }: { email: string }) {
  const change = useChange("profile.changePassword", { invalidates: ["profile.listOwnSessions"] });
  const form = useForm({
    initialValues: { currentPassword: "", password: "", again: "" },
    labels: {
      currentPassword: "Current password",
      password: "New password",
      again: "Confirm new password",
    },
    checks: { currentPassword: required, password: required, again: repeats("password") },
    draft: null,
    send: ({ currentPassword, password }) => change.run({ body: { currentPassword, password } }),
    onDone: () => toast("Password changed. You were signed out everywhere else."),
    clearsOnDone: true,
  });

  return (
    <Panel title="Password">
      <Form form={form} maxWidth={400} submit="Change password">
        {/* For password managers. */}
        <input name="username" autoComplete="username" defaultValue={email} hidden />
        <PasswordInput {...form.field("currentPassword")} autoComplete="current-password" />
        <PasswordInput
          {...form.field("password")}
          description="At least 12 characters, without your name or company. A few unrelated words are easy to remember."
          autoComplete="new-password"
        />
        <PasswordInput {...form.field("again")} autoComplete="new-password" />
      </Form>
    </Panel>
  );
}

const REFRESH_MS = 15_000;

function OwnSessions() {
  const sessions = useRead("profile.listOwnSessions", {}, { refetchInterval: REFRESH_MS });
  const invalidates = ["profile.listOwnSessions"] as const;
  const end = useChange("profile.endOwnSession", { invalidates });
  const endOthers = useChange("profile.endOwnOtherSessions", { invalidates });
  const others = sessions.data?.data.filter((session) => !session.isThisOne).length ?? 0;
  return (
    <Panel
      title="Active sessions"
      aside={
        others > 0 && (
          <ConfirmedButton
            label="End other sessions"
            title="End other sessions?"
            onConfirm={async () => {
              const { ended } = await endOthers.run({});
              toast(`${pluralize(ended, "session")} ended`);
            }}
          >
            {pluralize(others, "other session")} will have to sign in again. This session stays
            signed in.
          </ConfirmedButton>
        )
      }
    >
      <QueryView query={sessions} noun="your sessions" skeleton={<Skeleton height={80} />}>
        {({ data }) => <SessionRows sessions={data} titleBy="device" end={end} />}
      </QueryView>
    </Panel>
  );
}
