import { expect, test } from "./fixtures.ts";

/** A one-pixel image. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

// Nothing else that the browser would block and report reaches the frame.
test.use({
  expectedConsoleErrors: /^Blocked opening 'http:\/\/remote.example\/click' in a new window/,
});

test("the preview runs no scripts, follows no links and loads remote images through the server", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const requested: string[] = [];
  await page.route(/remote\.example/, (route) => {
    requested.push(route.request().url());
    return route.fulfill({ contentType: "image/png", body: "" });
  });
  const html = `<base href="http://remote.example/base/"><meta http-equiv="refresh" content="0;url=http://remote.example/refresh">
    <link rel="stylesheet" href="http://remote.example/style.css">
    <style>@import "http://remote.example/more.css"; @font-face { font-family: x; src: url(http://remote.example/f) }
      p { color: rgb(1, 2, 3); background: url('//remote.example/back.png') }</style>
    <p onclick="top.x = 1">Hello</p><script>top.location = "http://remote.example/script"</script>
    <img alt="Pixel" src="http://remote.example/open.gif" onerror="top.location = 'http://remote.example/error'">
    <iframe src="http://remote.example/frame"></iframe>
    <a href="javascript:alert(1)">Run</a><a href="http://remote.example/click" target="_self">Click</a>`;
  const id = await sendEmail(me, { subject: "Preview", html });
  await page.goto(`/console/emails/${id}`);

  const preview = page.frameLocator("iframe");
  await expect(preview.getByText("Hello")).toHaveCSS("color", "rgb(1, 2, 3)");
  await preview.getByText("Click").click();
  await expect(preview.getByText("Hello")).toBeVisible();
  expect(requested).toEqual([]);
  expect(page.context().pages()).toHaveLength(1);

  const pixel = preview.getByRole("img", { name: "Pixel" });
  await expect(pixel).toHaveAttribute("src", /^data:image\/svg/);
  const asked: string[] = [];
  await page.route("/console/api/emails/loadRemoteImage", async (route) => {
    const { url } = route.request().postDataJSON() as { url: string };
    asked.push(url);
    if (url.endsWith(".gif")) await route.fulfill({ json: { type: "image/png", content: PNG } });
    // The server has no network: the image can't be loaded.
    else await route.continue();
  });
  await page.getByRole("button", { name: "Load images" }).click();
  await expect(pixel).toHaveAttribute("src", `data:image/png;base64,${PNG}`);
  await expect(page.getByText("1 image couldn’t be loaded.")).toBeVisible();
  expect(asked.toSorted()).toEqual([
    "http://remote.example/open.gif",
    "https://remote.example/back.png",
  ]);
  expect(requested).toEqual([]);
});

test("the preview shows inline images, and a placeholder for a missing one", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const html = `<p>Hello</p><img alt="Logo" src="cid:logo@shop"><img alt="Lost" src="cid:lost">`;
  const file = { filename: "logo.png", content: PNG, content_id: "logo@shop" };
  const id = await sendEmail(me, { subject: "Images", html, attachments: [file] });
  await page.goto(`/console/emails/${id}`);
  const preview = page.frameLocator("iframe");
  const logo = preview.getByRole("img", { name: "Logo" });
  await expect(logo).toHaveAttribute("src", `data:image/png;base64,${PNG}`);
  await expect(logo).toHaveJSProperty("naturalWidth", 1);
  await expect(preview.getByRole("img", { name: "Lost" })).toHaveAttribute("src", /^data:image/);
});

test("the preview shows dark mode, with the email's own style or inverted", async ({
  page,
  signIn,
  sendEmail,
}) => {
  const me = await signIn();
  const html = `<p>Hello</p><img alt="Logo" src="data:image/png;base64,${PNG}">`;
  const plain = await sendEmail(me, { subject: "Plain", html });
  const style = "<style>@media (prefers-color-scheme: dark) { p { color: rgb(1, 2, 3) } }</style>";
  const styled = await sendEmail(me, { subject: "Styled", html: style + html });
  const show = (scheme: string) =>
    page
      .getByRole("radiogroup", { name: "Color scheme of the preview" })
      .getByText(scheme, { exact: true })
      .click();
  const preview = page.frameLocator("iframe");
  await page.goto(`/console/emails/${styled}`);
  await expect(preview.getByText("Hello")).not.toHaveCSS("color", "rgb(1, 2, 3)");
  await show("Dark");
  await expect(preview.getByText("Hello")).toHaveCSS("color", "rgb(1, 2, 3)");
  await page.goto(`/console/emails/${plain}`);
  await show("Dark");
  await expect(page.locator("iframe")).toHaveCSS("filter", /invert/);
  await expect(preview.getByRole("img", { name: "Logo" })).toHaveCSS("filter", /invert/);
  await show("Light");
  await expect(preview.getByRole("img", { name: "Logo" })).toHaveCSS("filter", "none");
});
