"use client";

import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";

import { HtmlPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { inlineContentIds } from "#app/console/(pages)/emails/preview-document.ts";
import { type EmailDetail, readAttachment } from "#app/console/(pages)/emails/queries.ts";

/** Larger images are replaced with a placeholder; they can still be downloaded. */
const IMAGE_BYTES_MAX = 5_000_000;

/** The email as a recipient sees it, with its inline images. */
export function EmailPreview({ email, html }: { email: EmailDetail; html: string }) {
  const shown = useMemo(() => inlineContentIds(html), [html]);
  const images = useQueries({
    queries: email.attachments
      .filter(({ content_id: id, size }) => shown.has(id ?? "") && size <= IMAGE_BYTES_MAX)
      .map((file) => imageQuery(email.id, file)),
    combine: byContentId,
  });
  return <HtmlPreview html={html} images={images} />;
}

type File = EmailDetail["attachments"][number];
type Image = { contentId: string; url: string };

const imageQuery = (emailId: string, { position, content_id: id, content_type: type }: File) => ({
  queryKey: ["email", emailId, "image", position],
  async queryFn(): Promise<Image> {
    const { content } = await readAttachment(emailId, position);
    return { contentId: id ?? "", url: `data:${imageType(type)};base64,${content}` };
  },
  staleTime: Infinity,
});

/** Falls back to PNG, since browsers detect the actual format; never returns a type that isn't an image. */
const imageType = (type: string | null) =>
  /^image\/[\w.+-]+$/.test(type ?? "") ? type! : "image/png";

const byContentId = (results: { data?: Image | undefined }[]): Record<string, string> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.contentId, data.url]] : [])));
