"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CopyableValue, QrCode } from "#app/console/ui/code.tsx";
import { MailAppSettings } from "#app/account/set-up-guide.tsx";
import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import type { SetUp } from "#app/console/(pages)/mailboxes/welcome/queries.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { HelpTextLink } from "#app/console/ui/links.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { setUpQuery } from "./access-queries.ts";
import classes from "./mail-app-setup.module.css";

export function MailAppSetup({ mailbox }: { mailbox: MailboxDetail }) {
  const setUp = useQuery(setUpQuery(mailbox.id));
  return (
    <QueryView
      query={setUp}
      noun="the settings"
      skeleton={
        <Panel>
          <SkeletonLines count={9} />
        </Panel>
      }
    >
      {(setUp) => setUp && <SetupPanels setUp={setUp} />}
    </QueryView>
  );
}

function SetupPanels({ setUp }: { setUp: SetUp }) {
  return (
    <div className={classes.ways}>
      <Panel title="Settings">
        <MailAppSettings setUp={setUp} />
        <div className={classes.signIn}>
          <DescriptionList>
            <DescriptionItem label="Username">
              <CopyableValue value={setUp.id} label="username" />
            </DescriptionItem>
            <DescriptionItem label="Password">
              The mailbox password or an app password
            </DescriptionItem>
          </DescriptionList>
        </div>
        <Text size="sm" c="dimmed" mt="md">
          Protocols the unit doesn’t allow aren’t listed. <HelpTextLink topic="mail-apps" />
        </Text>
      </Panel>
      <Panel title="Phone setup">
        <QrCode
          qr={setUp.qr}
          url={setUp.phoneUrl}
          label="QR code that opens the settings on a phone"
        />
        <Text size="sm" c="dimmed" mt="sm">
          Scan the code to open{" "}
          <Anchor href={setUp.phoneUrl} target="_blank" inherit underline="always">
            a page with instructions for each app
          </Anchor>
          . It contains no password, so you can send the link to the mailbox user.
        </Text>
      </Panel>
    </div>
  );
}
