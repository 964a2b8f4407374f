"use client";

import {
  Anchor,
  NativeSelect,
  Skeleton,
  Stack,
  Switch,
  Tabs,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { SessionRows } from "#app/console/(pages)/profile/session-rows.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { meQuery, usePrivileges } from "#app/console/session.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { ChangeBar, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { languageName, pluralize } from "#app/console/ui/format.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs, useTab } from "#app/console/ui/tabs.tsx";

import { AllowedAddresses } from "./allowed-addresses.tsx";
import { MailFilterForm } from "./mail-filter-form.tsx";
import { type CompanySettings, useChangeSettings } from "./queries.ts";

const SESSIONS_REFRESH_MS = 15_000;

const loading = <PanelSkeleton count={3} />;

const CompanyUsage = onDemand(
  () => import("./usage.tsx").then((module) => module.CompanyUsage),
  loading,
);
const SingleSignOn = onDemand(
  () => import("./single-sign-on/single-sign-on.tsx").then((module) => module.SingleSignOn),
  loading,
);

const PRELOADS = { usage: CompanyUsage.preload, access: SingleSignOn.preload };

const TABS = { company: "Company", access: "Access", usage: "Usage" };
const HELP = { company: "spam", access: "sign-in", usage: "limits", sessions: "sign-in" } as const;

export function ConsoleSettings() {
  const settings = useRead("settings.get", {});
  const seesSessions = usePrivileges().has("manage_admins");
  const labels = { ...TABS, ...(seesSessions && { sessions: "Sessions" }) };
  const tab = useTab(labels);
  return (
    <>
      <PageHeader
        title="Settings"
        help={HELP[tab]}
        description="Manage your company’s settings, limits, and sessions."
      />
      <QueryView query={settings} noun="the settings" skeleton={<SettingsSkeleton />}>
        {(settings) => (
          <UrlTabs labels={labels} preloads={PRELOADS}>
            <Tabs.Panel value="company">
              <CompanySettingsTab settings={settings} />
            </Tabs.Panel>
            <Tabs.Panel value="access">
              <AccessSettings settings={settings} />
            </Tabs.Panel>
            <Tabs.Panel value="usage">
              <CompanyUsage />
            </Tabs.Panel>
            {seesSessions && (
              <Tabs.Panel value="sessions">
                <CompanySessions />
              </Tabs.Panel>
            )}
          </UrlTabs>
        )}
      </QueryView>
    </>
  );
}

const AccessSettings = ({ settings }: { settings: CompanySettings }) => (
  <Stack gap="md">
    <TwoFactorRequirement settings={settings} />
    <SingleSignOn />
    <SessionLength settings={settings} />
    <AllowedAddresses settings={settings} />
    <BodyLog settings={settings} />
  </Stack>
);

const SettingsSkeleton = () => (
  <>
    <Skeleton height={14} width="min(320px, 80%)" mt={10} mb={28} />
    <Panel>
      <Stack gap="lg">
        <Skeleton height={14} width={140} />
        <Skeleton height={62} width="min(400px, 100%)" />
        <Skeleton height={36} width={96} />
      </Stack>
    </Panel>
  </>
);

function CompanySessions() {
  const sessions = useRead(
    "settings.listCompanySessions",
    {},
    { refetchInterval: SESSIONS_REFRESH_MS },
  );
  const end = useChange("settings.endCompanySession", {
    invalidates: ["settings.listCompanySessions"],
  });
  const { isOwner } = usePrivileges();
  return (
    <Panel title="Active sessions">
      <QueryView query={sessions} noun="the sessions" skeleton={<Skeleton height={120} />}>
        {({ data }) => (
          <SessionRows
            sessions={data}
            titleBy="admin"
            end={end}
            mayEnd={(session) => isOwner || !session.isOwner}
          />
        )}
      </QueryView>
    </Panel>
  );
}

const CompanySettingsTab = ({ settings }: { settings: CompanySettings }) => (
  <Stack gap="md">
    <Panel title="Company">
      <CompanyNameForm name={settings.name} />
    </Panel>
    <Panel title="Mailbox users">
      <LanguageForm settings={settings} />
    </Panel>
    <Panel title="Mail filtering">
      <MailFilterForm settings={settings} />
    </Panel>
  </Stack>
);

function CompanyNameForm({ name }: { name: string }) {
  const change = useChangeSettings();
  const form = useForm({
    initialValues: { name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: "company-name",
    send: (body) => change.run({ body }),
    onDone: () => toast("Company name saved"),
  });

  return (
    <Form form={form} maxWidth={400} submit="Save name">
      <TextInput
        {...form.field("name")}
        description="Shown in the console and in emails from Posthouse."
        autoComplete="organization"
      />
    </Form>
  );
}

function LanguageForm({ settings: { language, languages } }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const form = useForm({
    initialValues: { language },
    labels: { language: "Language" },
    draft: "mailbox-language",
    send: (body) => change.run({ body }),
    onDone: () => toast("Language saved"),
  });
  return (
    <Form form={form} maxWidth={400} submit="Save language">
      <NativeSelect
        {...form.field("language")}
        size="md"
        description="For welcome sheets, and for emails to mailbox users who haven’t chosen a language. Their account pages are in their browser’s language."
        data={languages.map((value) => ({ value, label: languageName(value) }))}
      />
    </Form>
  );
}

const HOURS_MAX = 336;

function SessionLength({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const form = useForm({
    initialValues: { sessionHoursMax: String(settings.sessionHoursMax) },
    labels: { sessionHoursMax: "Hours" },
    checks: { sessionHoursMax: required },
    draft: "session-length",
    send: ({ sessionHoursMax: hours }) => change.run({ body: { sessionHoursMax: Number(hours) } }),
    onDone: (_, { sessionHoursMax: hours }) =>
      toast(`Sessions now last ${pluralize(Number(hours), "hour")}`),
  });

  return (
    <Panel title="Session length">
      <Form
        form={form}
        maxWidth={640}
        actions={
          <ChangeBar
            form={form}
            changes={
              form.isDirty
                ? [{ name: "sessionHoursMax", text: sessionText(form.values, settings.admins) }]
                : []
            }
          />
        }
      >
        <TextInput
          {...form.field("sessionHoursMax")}
          description={`Admins have to sign in again after this time: 1 to ${HOURS_MAX} hours (14 days). Older sessions end when you save. Only an owner can choose a longer time. Sessions that aren’t used end earlier, after 12 hours by default.`}
          type="number"
          min={1}
          max={HOURS_MAX}
          step={1}
          maw={400}
        />
      </Form>
    </Panel>
  );
}

function sessionText({ sessionHoursMax: hours }: { sessionHoursMax: string }, admins: number) {
  if (Number(hours) < 1) return "Change the session length";
  const who = admins === 1 ? "the only admin" : pluralize(admins, "admin");
  return `Sign out ${who} ${pluralize(Number(hours), "hour")} after they sign in`;
}

function BodyLog({ settings: { logsRequestBodies: isOn } }: { settings: CompanySettings }) {
  const change = useChange("settings.update", {
    invalidates: ["settings"],
    waits: true,
    success: (_, { body }) =>
      body.logsRequestBodies ? "Request bodies are stored" : "Stored request bodies deleted",
  });
  return (
    <Panel title="Logs of API requests">
      <Switch
        size="md"
        maw={640}
        label="Store request bodies"
        description="Logs shows what your applications sent, for one day and for the last 100 requests of each API key. Content, passwords, tokens, and other secrets are replaced by their length. If you turn this off, the stored bodies are deleted."
        checked={isOn}
        disabled={change.isPending}
        onChange={(event) =>
          change.start({ body: { logsRequestBodies: event.currentTarget.checked } })
        }
      />
    </Panel>
  );
}

const NAMED_MAX = 5;

function TwoFactorRequirement({ settings }: { settings: CompanySettings }) {
  const isOn = settings.secondFactorRequired;
  const without = settings.adminsWithoutSecondFactor;
  return (
    <Panel
      title="Two-factor authentication"
      aside={<Status tone={isOn ? "done" : "none"} label={isOn ? "Required" : "Not required"} />}
    >
      <Stack gap="md" maw={640}>
        <Text>
          Require all admins to sign in with an authenticator app or a passkey in addition to their
          password. Admins without one have to set it up before they can use the console. This
          doesn’t apply to mailbox users or mail apps: a mailbox user’s second factor protects mail
          apps only if the unit’s policy allows app passwords.
        </Text>
        <AdminsWithoutFactor without={without} admins={settings.admins} />
        <ChangeRequirement settings={settings} />
      </Stack>
    </Panel>
  );
}

function ChangeRequirement({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const me = useQuery(meQuery);
  const isOn = settings.secondFactorRequired;
  const without = settings.adminsWithoutSecondFactor;

  async function save(secondFactorRequired: boolean) {
    await change.run({ body: { secondFactorRequired } });
    toast(
      secondFactorRequired
        ? "Second factor required for all admins"
        : "Second factor made optional",
    );
  }

  if (isOn && me.data?.isOwner === false)
    return <Text>Only an owner can make the second factor optional.</Text>;
  if (!isOn && without.some(({ email }) => email === me.data?.email))
    return (
      <Text>
        You don’t have a second factor.{" "}
        <Anchor component={Link} underline="always" href="/console/profile?tab=security">
          Set one up
        </Anchor>{" "}
        before you require it from others.
      </Text>
    );
  return (
    <div>
      <ConfirmedButton
        label={isOn ? "Make second factor optional" : "Require second factor"}
        title={isOn ? "Make second factor optional?" : "Require second factor?"}
        isHarmless={!isOn}
        onConfirm={() => save(!isOn)}
      >
        {isOn
          ? "Admins can remove their second factor and sign in with a password alone."
          : consequences(without.length)}
      </ConfirmedButton>
    </div>
  );
}

function consequences(count: number): string {
  if (count === 0)
    return "All admins have a second factor. New admins have to set one up when they join.";
  const who = count === 1 ? "1 admin doesn’t" : `${count} admins don’t`;
  return `${who} have a second factor and will have to set one up before they can continue. API keys and mailboxes aren’t affected.`;
}

type AdminsWithoutFactorProps = {
  without: CompanySettings["adminsWithoutSecondFactor"];
  admins: number;
};

function AdminsWithoutFactor({ without, admins }: AdminsWithoutFactorProps) {
  if (without.length === 0)
    return (
      <Text c="dimmed">
        {admins === 1
          ? "The only admin has a second factor."
          : `All ${admins} admins have a second factor.`}
      </Text>
    );
  const named = without.slice(0, NAMED_MAX).map(({ email, name }) => name || email);
  const more = without.length - named.length;
  return (
    <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
      Without a second factor: {named.join(", ")}
      {more > 0 && ` and ${more} more`}.
    </Text>
  );
}
