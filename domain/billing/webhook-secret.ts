// The secret with which the payment provider signs its events. The provider shows it once, when the destination is created.

export type WebhookSecret = {
  /** The destination that signs with the secret. A new destination has a new secret. */
  destinationId: string;
  signingSecret: string;
};

export interface WebhookSecretStore {
  /** Undefined if no secret was stored yet. */
  get(): Promise<WebhookSecret | undefined>;
  put(secret: WebhookSecret): Promise<void>;
}
