"use client";

import { Button, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { CopyButton, QrCode } from "#app/console/ui/code.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

import { accountLink } from "./account-link.tsx";
import { type AppSetUp, appSetUpQuery, mailboxUserQuery } from "./queries.ts";
import classes from "./set-up-guide.module.css";

export function SetUpMailApps() {
  const text = useTexts();
  const setUp = useQuery(appSetUpQuery);
  const { data: me } = useQuery(mailboxUserQuery);
  return (
    <>
      <PageHeader title={text("setUp")} description={text("setUp.text")} />
      <QueryView query={setUp} noun={text("noun.settings")} skeleton={<Skeleton height={480} />}>
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

type SetUpGuideProps = { setUp: AppSetUp; accepted?: AcceptedPasswords | undefined };

/**
 * How to connect a mailbox: by phone, step by step for each app, or with all settings.
 *
 * @param accepted the passwords that work in mail apps; unknown without a session
 */
export function SetUpGuide({ setUp, accepted }: SetUpGuideProps) {
  const text = useTexts();
  return (
    <Stack gap="md">
      <div className={classes.ways}>
        <Panel title={text("setUp.byApp")}>
          <StepsByApp setUp={setUp} />
        </Panel>
        <Panel title={text("setUp.phone")}>
          <QrCode qr={setUp.qr} url={setUp.phoneUrl} />
          <Text size="sm" c="dimmed" mt="sm">
            {text("setUp.phone.text")}
          </Text>
        </Panel>
      </div>
      <Panel title={text("setUp.all")}>
        <MailAppSettings setUp={setUp} />
        {setUp.dav.length > 0 && (
          <Text size="sm" c="dimmed" mt="md">
            {text("setUp.dav.text")}
          </Text>
        )}
        <Text size="sm" c="dimmed" mt="md">
          {text("setUp.user")} <PasswordHint accepted={accepted} />
        </Text>
      </Panel>
    </Stack>
  );
}

function PasswordHint({ accepted }: { accepted: AcceptedPasswords | undefined }) {
  const text = useTexts();
  if (!accepted) return text("setUp.either");
  const { mailboxPassword, appPasswords } = accepted;
  if (!appPasswords) return text(mailboxPassword ? "setUp.mailbox" : "setUp.none");
  return (
    <RichText
      id={mailboxPassword ? "setUp.better" : "setUp.app"}
      values={{ link: accountLink("/account/app-passwords") }}
    />
  );
}

function StepsByApp({ setUp }: { setUp: AppSetUp }) {
  const text = useTexts();
  const [app, setApp] = useState<string | null>(APPS[0].id);
  return (
    <Tabs value={app} onChange={setApp} keepMounted={false}>
      <Tabs.List mb="md">
        {APPS.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name ?? text("setUp.otherApps")}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {APPS.map((app) => (
        <Tabs.Panel key={app.id} value={app.id}>
          <AppSteps app={app} setUp={setUp} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function AppSteps({ app, setUp }: { app: App; setUp: AppSetUp }) {
  const text = useTexts();
  const { address } = setUp;
  return (
    <>
      {app.id === "apple" && setUp.profilePath !== null && (
        <Button
          component="a"
          href={setUp.profilePath}
          leftSection={<IconDownload size={14} />}
          mb="md"
        >
          {text("setUp.profile")}
        </Button>
      )}
      <ol className={classes.steps}>
        {app.steps.map((step) => (
          <li key={step}>{text(step, { address })}</li>
        ))}
      </ol>
    </>
  );
}

type Server = AppSetUp["imap"][number];

const SECURITY = { implicit: "SSL/TLS", starttls: "STARTTLS" } as const;

const KINDS = ["imap", "smtp", "pop3", "sieve", "dav"] as const;

/** The settings for manual setup. Protocols that the company doesn't allow are left out. */
export function MailAppSettings({ setUp }: { setUp: Pick<AppSetUp, (typeof KINDS)[number]> }) {
  const text = useTexts();
  const rows = KINDS.flatMap((kind) => {
    const label = text(`setUp.${kind}`);
    return setUp[kind].map((server, at) => ({
      server,
      label: at === 0 ? label : text("setUp.alternative", { label }),
    }));
  });
  return (
    <table className={classes.table} aria-label={text("setUp.table")}>
      <thead>
        <tr>
          <th>{text("setUp.for")}</th>
          <th>{text("setUp.server")}</th>
          <th>{text("setUp.port")}</th>
          <th>{text("setUp.security")}</th>
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
  const text = useTexts();
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>
        <code>{server.host}</code>
        <CopyButton value={server.host} label={text("setUp.copied", { label })} />
      </td>
      <td>
        <code>{server.port}</code>
      </td>
      <td>{SECURITY[server.tls]}</td>
    </tr>
  );
}

/** Setup steps for mail apps; only Apple has profiles. */
const APPS = [
  {
    id: "outlook",
    name: "Outlook",
    steps: ["setUp.outlook.1", "setUp.outlook.2", "setUp.outlook.3", "setUp.outlook.4"],
  },
  {
    id: "thunderbird",
    name: "Thunderbird",
    steps: ["setUp.thunderbird.1", "setUp.thunderbird.2", "setUp.thunderbird.3"],
  },
  {
    id: "apple",
    name: "Apple Mail",
    steps: ["setUp.apple.1", "setUp.apple.2", "setUp.apple.3", "setUp.apple.4"],
  },
  {
    id: "android",
    name: "Android",
    steps: ["setUp.android.1", "setUp.android.2", "setUp.android.3"],
  },
  { id: "other", name: null, steps: ["setUp.other.1", "setUp.other.2"] },
] as const;

type App = (typeof APPS)[number];
