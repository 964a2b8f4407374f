"use client";

import { useQuery } from "@tanstack/react-query";

import { type EmailDetail, emailQuery } from "#app/console/(pages)/emails/queries.ts";
import { EmailStatus } from "#app/console/(pages)/emails/email-status.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/panel.tsx";
import { TestBadge } from "#app/console/ui/status.tsx";

import { EmailActions } from "./email-actions.tsx";
import { EmailAttachments } from "./email-attachments.tsx";
import { EmailContent } from "./email-content.tsx";
import { EmailFacts } from "./email-facts.tsx";
import { EmailSkeleton } from "./email-skeleton.tsx";
import classes from "./email.module.css";
import { EmailRecipients } from "./email-recipients.tsx";
import { EmailTimeline } from "./email-timeline.tsx";

function EmailSummary({ email }: { email: EmailDetail }) {
  if (!email.isTest) return <EmailStatus state={email.status} />;
  return (
    <>
      <EmailStatus state={email.status} /> <TestBadge /> Sent in test mode. Nothing was delivered.
    </>
  );
}

export function EmailDetails({ id }: { id: string }) {
  const email = useQuery(emailQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Emails", href: "/console/emails" }]} />
      <QueryView query={email} noun="this email" skeleton={<EmailSkeleton />} titleOrder={1}>
        {(email) => (
          <>
            <PageHeader
              documentTitle={`${email.subject || "(no subject)"} · Emails`}
              title={email.subject || "(no subject)"}
              description={<EmailSummary email={email} />}
              action={<EmailActions email={email} />}
            />
            <SideBySide
              side={
                <>
                  <EmailRecipients recipients={email.recipients} />
                  <EmailTimeline emailId={id} />
                  <EmailFacts email={email} />
                </>
              }
            >
              <div className={classes.content}>
                <EmailContent email={email} />
                <EmailAttachments email={email} />
              </div>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}
