// What is shown where a page cannot be: its script is gone, or it failed while it was drawn.
import { Component, type ReactNode } from "react";
import { PageHead } from "../parts/page-head.tsx";

const reloaded = "archway.reloaded";

type Props = { title: string; children: ReactNode };

export class PageFailure extends Component<Props, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch({ message }: Error) {
    // A release replaced the scripts that this page names: loaded anew it names the new ones. Once for each, so that none that stays
    // missing loops.
    if (!isMissingScript(message) || sessionStorage.getItem(reloaded) === message) return;
    sessionStorage.setItem(reloaded, message);
    location.reload();
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <>
        <PageHead title={this.props.title} />
        <div className="problem" role="alert">
          <p>
            {isMissingScript(error.message)
              ? "A part of this page could not be loaded. Check the connection, or try again in a minute."
              : "This page failed. The operator can look for the reason in the browser's console."}
          </p>
          <button type="button" onClick={() => location.reload()}>
            Load the page again
          </button>
        </div>
      </>
    );
  }
}

/** In the words of Chromium, Firefox and Safari. */
function isMissingScript(message: string): boolean {
  return /dynamically imported module|module script failed/i.test(message);
}
