"use client";

import { useEffect, useId, useRef } from "react";

import classes from "./email-frame.module.css";

/**
 * HTML of others, shown in a document of its own: no script runs in it, nothing is sent from it, and
 * images of other servers are loaded only with `withRemote`. The server sends back what is posted, under
 * a policy for it (server/web/email-frame.ts): a frame made here would be held to that of the console.
 *
 * @param html the whole document, without a doctype
 */
export function EmailFrame({
  html,
  loadRemoteImages,
  title,
}: {
  html: string;
  loadRemoteImages: boolean;
  title: string;
}) {
  const name = `email${useId()}`;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.submit(), [html, loadRemoteImages]);
  return (
    <>
      <form
        ref={form}
        method="post"
        encType="text/plain"
        action={`/console/email-frame${loadRemoteImages ? "?images=remote" : ""}`}
        target={name}
        hidden
      >
        {/* Posted as "name=value": the sign between them ends up in a comment. */}
        <textarea name="<!doctype html><!--" defaultValue={`-->${html}`} key={html} />
      </form>
      {/* A new one for each document: going back should leave the page, not turn it. */}
      <iframe
        key={`${loadRemoteImages}${html}`}
        className={classes.frame}
        name={name}
        title={title}
        sandbox=""
        referrerPolicy="no-referrer"
      />
    </>
  );
}
