"use client";

import { Anchor, Button, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { CopyButton, QrCode } from "#app/console/ui/code.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { type AppSetUp, appSetUpQuery, mailboxUserQuery } from "./queries.ts";
import classes from "./set-up-guide.module.css";

export function SetUpMailApps() {
  const setUp = useQuery(appSetUpQuery);
  const { data: me } = useQuery(mailboxUserQuery);
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

type AcceptedPasswords = { mailboxPassword: boolean; appPasswords: boolean };

/**
 * How to connect a mailbox: by phone, step by step for each app, or with all settings.
 *
 * @param accepted the passwords that work in mail apps; unknown without a session
 */
export function SetUpGuide({
  setUp,
  accepted,
}: {
  setUp: AppSetUp;
  accepted?: AcceptedPasswords | undefined;
}) {
  return (
    <Stack gap="md">
      <div className={classes.ways}>
        <Panel title="By app">
          <StepsByApp setUp={setUp} />
        </Panel>
        <Panel title="On a phone">
          <QrCode qr={setUp.qr} url={setUp.phoneUrl} />
          <Text size="sm" c="dimmed" mt="sm">
            Point your phone’s camera at the code. It opens a page with the settings to copy and,
            for iPhones and iPads, a configuration profile.
          </Text>
        </Panel>
      </div>
      <Panel title="All settings">
        <MailAppSettings setUp={setUp} />
        <Text size="sm" c="dimmed" mt="md">
          Your username is your full email address. <PasswordHint accepted={accepted} />
        </Text>
      </Panel>
    </Stack>
  );
}

function PasswordHint({ accepted }: { accepted: AcceptedPasswords | undefined }) {
  if (!accepted) return "Your password is your mailbox password or an app password.";
  const { mailboxPassword, appPasswords } = accepted;
  if (!appPasswords)
    return mailboxPassword
      ? "Your password is your mailbox password."
      : "Your company requires single sign-on and doesn’t allow app passwords, so mail apps can’t sign in to your mailbox.";
  return (
    <>
      Your password is {mailboxPassword ? "your mailbox password or, better, an " : "an "}
      <Anchor component={Link} href="/account/app-passwords" inherit underline="always">
        app password
      </Anchor>{" "}
      for this app.
    </>
  );
}

function StepsByApp({ setUp }: { setUp: AppSetUp }) {
  const [app, setApp] = useState<string | null>(APPS[0].name);
  return (
    <Tabs value={app} onChange={setApp} keepMounted={false}>
      <Tabs.List mb="md">
        {APPS.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {APPS.map((app) => (
        <Tabs.Panel key={app.name} value={app.name}>
          <AppSteps app={app} setUp={setUp} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function AppSteps({ app, setUp }: { app: App; setUp: AppSetUp }) {
  return (
    <>
      {app.hasProfile && setUp.profilePath !== null && (
        <Button
          component="a"
          href={setUp.profilePath}
          leftSection={<IconDownload size={14} />}
          mb="md"
        >
          Download profile
        </Button>
      )}
      <ol className={classes.steps}>
        {app.steps.map((step) => (
          <li key={step}>{step.replace("{address}", setUp.address)}</li>
        ))}
      </ol>
    </>
  );
}

type Server = AppSetUp["imap"][number];

const SECURITY = { implicit: "SSL/TLS", starttls: "STARTTLS" } as const;

const KINDS = [
  ["imap", "Reading mail (IMAP)"],
  ["smtp", "Sending mail (SMTP)"],
  ["pop3", "Reading mail (POP3)"],
  ["sieve", "Filters (ManageSieve)"],
] as const;

/** The settings for manual setup. Protocols that the company doesn't allow are left out. */
export function MailAppSettings({
  setUp,
}: {
  setUp: Pick<AppSetUp, "imap" | "smtp" | "pop3" | "sieve">;
}) {
  const rows = KINDS.flatMap(([kind, label]) =>
    setUp[kind].map((server, at) => ({
      server,
      label: at === 0 ? label : `${label}, alternative`,
    })),
  );
  return (
    <table className={classes.table} aria-label="Settings">
      <thead>
        <tr>
          <th>For</th>
          <th>Server</th>
          <th>Port</th>
          <th>Security</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ server, label }) => (
          <ServerSettingsRow key={`${label} ${server.port}`} server={server} label={label} />
        ))}
      </tbody>
    </table>
  );
}

function ServerSettingsRow({ server, label }: { server: Server; label: string }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>
        <code>{server.host}</code>
        <CopyButton value={server.host} label={`server for ${label}`} />
      </td>
      <td>
        <code>{server.port}</code>
      </td>
      <td>{SECURITY[server.tls]}</td>
    </tr>
  );
}

/** Setup steps for a mail app; `{address}` is replaced with the mailbox's address. */
type App = { name: string; steps: string[]; hasProfile?: true };

const APPS: [App, ...App[]] = [
  {
    name: "Outlook",
    steps: [
      "Open File, then Add Account. In the new Outlook: Settings, Accounts, Add account.",
      "Enter {address} and choose Connect. Outlook finds the settings automatically.",
      "Enter your password when asked.",
      "If asked for the account type, choose IMAP and enter the settings below.",
    ],
  },
  {
    name: "Thunderbird",
    steps: [
      "Open the menu, then New Account, Email.",
      "Enter your name, {address}, and your password, and choose Continue.",
      "Thunderbird finds the settings. Choose IMAP, then Done.",
    ],
  },
  {
    name: "Apple Mail",
    hasProfile: true,
    steps: [
      "Download the profile on your iPhone, iPad, or Mac.",
      "Open Settings. The profile is at the top; on a Mac, it’s under General, Device Management.",
      "Choose Install and enter your password when asked.",
      "Without the profile: Settings, Apps, Mail, Mail Accounts, Add Account, Other, and the settings below.",
    ],
  },
  {
    name: "Android",
    steps: [
      "In Gmail: your profile picture, Add another account, Other. In other apps: add an account.",
      "Enter {address}, choose Personal (IMAP), and enter your password.",
      "When asked, enter the servers below and choose SSL/TLS as the security type.",
    ],
  },
  {
    name: "Other apps",
    steps: [
      "Add an account with {address}; many apps find the settings automatically.",
      "If yours doesn’t, choose IMAP and enter the settings below.",
    ],
  },
];
