import { Anchor, Button, Stack, Tabs, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import Link from "next/link";
import { useState } from "react";

import type { SetUp } from "#app/account/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { APPS, type App } from "./apps.ts";
import { QrCode } from "#app/console/ui/code.tsx";
import { Settings } from "./settings.tsx";
import classes from "./set-up-guide.module.css";

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
  setUp: SetUp;
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
        <Settings setUp={setUp} />
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

function StepsByApp({ setUp }: { setUp: SetUp }) {
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

function AppSteps({ app, setUp }: { app: App; setUp: SetUp }) {
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
