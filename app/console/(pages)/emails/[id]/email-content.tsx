import { Box, Group, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { CODE_SNIPPETS, requestBody } from "#app/console/(pages)/emails/email-code.ts";
import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { inlineContentIds } from "#app/console/(pages)/emails/preview-document.ts";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { readUrl, read } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CodeBlock } from "#app/console/ui/code.tsx";
import { formatBytes } from "#app/console/ui/format.ts";
import { AttachmentList, DownloadButton, MessageTabs } from "#app/console/ui/messages.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

/** Larger images are replaced with a placeholder; they can still be downloaded. */
const IMAGE_BYTES_MAX = 5_000_000;

type File = EmailDetail["attachments"][number];

type Image = { contentId: string; url: string };

export function EmailContentPanel({ email }: { email: EmailDetail }) {
  if (!email.content)
    return (
      <Panel title="Content">
        <Text c="dimmed">
          {email.status === "failed"
            ? "The email was never sent, so its content wasn’t stored."
            : "Content and attachments are deleted three days after sending. The delivery history is kept."}
        </Text>
      </Panel>
    );
  const { html, text } = email.content;
  const parts = [
    html !== null && { name: "Preview", panel: <EmailPreview email={email} html={html} /> },
    { name: "Text", panel: <TextPart text={text} /> },
    html !== null && { name: "HTML", panel: <CodeBlock code={html} label="HTML source" /> },
    {
      name: "Source",
      panel: <EmailSource emailId={email.id} isSent={email.messageId !== null} />,
    },
    { name: "Code", panel: <EmailCodeSamples email={email} content={email.content} /> },
  ].filter((tab) => tab !== false);
  return <MessageTabs title="Content" parts={parts} />;
}

function TextPart({ text }: { text: string | null }) {
  if (text === null)
    return (
      <Text c="dimmed">
        No text was provided. Posthouse generates a plain-text version from the HTML when sending.
      </Text>
    );
  if (text === "") return <Text c="dimmed">Sent without a plain-text version, as requested.</Text>;
  return <CodeBlock code={text} label="text" />;
}

/** The email as a recipient sees it, with its inline images. */
function EmailPreview({ email, html }: { email: EmailDetail; html: string }) {
  const shown = useMemo(() => inlineContentIds(html), [html]);
  const images = useQueries({
    queries: email.attachments
      .filter(({ contentId: id, size }) => shown.has(id ?? "") && size <= IMAGE_BYTES_MAX)
      .map((file) => imageQuery(email.id, file)),
    combine: byContentId,
  });
  return <HtmlPreview html={html} images={images} />;
}

const imageQuery = (emailId: string, { position, contentId: id, contentType: type }: File) => ({
  queryKey: ["emails", "getAttachment", emailId, position],
  async queryFn(): Promise<Image> {
    const { content } = await read("emails.getAttachment", {
      params: { id: emailId, position: String(position) },
    });
    return { contentId: id ?? "", url: `data:${imageType(type)};base64,${content}` };
  },
  staleTime: Infinity,
});

/** Falls back to PNG, since browsers detect the actual format; never returns a type that isn't an image. */
const imageType = (type: string | null) =>
  /^image\/[\w.+-]+$/.test(type ?? "") ? type! : "image/png";

const byContentId = (results: { data?: Image | undefined }[]): Record<string, string> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.contentId, data.url]] : [])));

/** The message source, generated the same way as for sending. */
function EmailSource({ emailId, isSent }: { emailId: string; isSent: boolean }) {
  // The server regenerates it on each request, always identically.
  const source = useRead("emails.getSource", { params: { id: emailId } }, { staleTime: Infinity });
  return (
    <QueryView query={source} noun="the source" skeleton={<Skeleton height={320} />}>
      {({ message, size }) => (
        <>
          <Group justify="space-between" mb="xs" gap="xs">
            <Text size="sm" c="dimmed">
              {isSent
                ? "As sent, without the DKIM signature that is added at each attempt."
                : "As it will be sent. The date and Message-ID are set when it’s sent."}
            </Text>
            <DownloadButton href={readUrl("emails.download", { params: { id: emailId } })}>
              Download .eml
            </DownloadButton>
          </Group>
          <CodeBlock code={message} label="message source" />
          {message.length < size && (
            <Text size="sm" c="dimmed" mt="xs">
              Showing the first {formatBytes(message.length)} of {formatBytes(size)}.
            </Text>
          )}
        </>
      )}
    </QueryView>
  );
}

type EmailCodeSamplesProps = { email: EmailDetail; content: NonNullable<EmailDetail["content"]> };

/** Code that sends this email through the API, in several languages. */
function EmailCodeSamples({ email, content }: EmailCodeSamplesProps) {
  const [language, setLanguage] = useState("curl");
  const code = CODE_SNIPPETS[language]!(window.location.origin, requestBody(email, content));
  return (
    <>
      <Box mb="sm" style={{ overflowX: "auto" }}>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={Object.keys(CODE_SNIPPETS)}
          value={language}
          onChange={setLanguage}
        />
      </Box>
      <Text size="sm" c="dimmed" mb="xs">
        The code reads your API key from the <code>POSTHOUSE_API_KEY</code> environment variable.
        {email.attachments.length > 0 &&
          " Replace the attachment placeholders with base64-encoded files."}
      </Text>
      <CodeBlock code={code} label={`${language} code`} />
    </>
  );
}

export const EmailAttachments = ({ email: { id, attachments } }: { email: EmailDetail }) => (
  <AttachmentList
    files={attachments}
    factsOf={({ contentType, contentId }) => [
      contentType,
      contentId && `inline as cid:${contentId}`,
    ]}
    hrefOf={({ position }) =>
      readUrl("emails.downloadAttachment", { params: { id, position: String(position) } })
    }
  />
);
