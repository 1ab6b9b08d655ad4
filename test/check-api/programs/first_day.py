"""A first day by the generated Python client, as a customer would write it. The package is made by `npm run check:api`."""

import os

import httpx
from archway_client import AuthenticatedClient
from archway_client.api.grants import put_grant
from archway_client.api.keys import create_key, list_keys, revoke_key
from archway_client.api.me import get_me
from archway_client.api.tenants import create_tenant
from archway_client.api.usage import get_usage
from archway_client.api.users import get_user, invite_user, remove_user
from archway_client import models
from archway_client.types import UNSET

API = os.environ["ARCHWAY_API"]
NAME = os.environ["ARCHWAY_CLIENT"]


def fresh_client() -> AuthenticatedClient:
    token = httpx.get(os.environ["ARCHWAY_TOKENS"], timeout=60).text
    return AuthenticatedClient(base_url=API, token=token, timeout=httpx.Timeout(60), raise_on_unexpected_status=True)


client = fresh_client()
me = get_me.sync(client=client)
assert isinstance(me, models.Me) and me.memberships == [], me

body = models.TenantBody(name=f"{NAME} day")
tenant = create_tenant.sync(client=client, body=body, idempotency_key="first-day")
assert isinstance(tenant, models.Tenant), tenant
repeated = create_tenant.sync(client=client, body=body, idempotency_key="first-day")
assert isinstance(repeated, models.Tenant) and repeated.tenant_id == tenant.tenant_id, repeated
assert tenant.owner_sub == me.user_id and tenant.deleted_at is UNSET, tenant

taken = create_tenant.sync_detailed(client=client, body=body)
assert taken.status_code == 409 and isinstance(taken.parsed, models.ErrorResponse), taken
assert taken.parsed.error.details.error_code == "slug_taken", taken
assert [field.path for field in taken.parsed.error.details.fields or []] == ["name"], taken

client = fresh_client()
key = create_key.sync(client=client, body=models.ApiKeyBody(name="Laptop"))
assert isinstance(key, models.CreatedApiKey) and key.key.startswith("ar_live_"), key
wrong = create_key.sync(client=client, body=models.ApiKeyBody(name=""))
assert isinstance(wrong, models.ErrorResponse), wrong
assert [field.path for field in wrong.error.details.fields or []] == ["name"], wrong

proxy = httpx.get(f"{API}/.well-known/archway.json").json()["proxy_url"].replace("{slug}", tenant.slug)
message = {"model": "claude-sonnet-5", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello"}]}
answer = httpx.post(f"{proxy}/v1/messages", headers={"x-api-key": key.key}, json=message, timeout=60)
assert answer.status_code == 200, answer.text

keys = list_keys.sync(client=client, limit=1, status=models.ApiKeyStatus.ACTIVE)
assert isinstance(keys, models.ApiKeyWithUsePage), keys
assert [one.key_id for one in keys.data] == [key.key_id] and keys.next_cursor is UNSET, keys

email = f"guest@{NAME.lower()}.example"
invitation = invite_user.sync(client=client, body=models.InvitationBody(email=email))
assert isinstance(invitation, models.Invitation), invitation
limits = models.LimitsBody(allowed_models=["*"], allowed_regions=[models.Region.EU_CENTRAL_1], monthly_budget_usd=5)
grant = put_grant.sync(invitation.user_id, client=client, body=limits)
assert isinstance(grant, models.Grant) and grant.budget_enforcement == "reserved", grant
user = get_user.sync(invitation.user_id, client=client)
assert isinstance(user, models.User) and user.email == email and user.status is UNSET and user.has_grant, user

for _ in range(2):
    assert remove_user.sync_detailed(invitation.user_id, client=client).status_code == 204
removed = get_user.sync(invitation.user_id, client=client)
assert isinstance(removed, models.User) and removed.status == "removed", removed

groups = [models.Grouping.DAY, models.Grouping.CALLER]
usage = get_usage.sync(client=client, group_by=groups, limit=10)
assert isinstance(usage, models.Usage), usage
assert [(row.caller_id, row.requests) for row in usage.data] == [(me.user_id, 1)], usage

for _ in range(2):
    assert revoke_key.sync_detailed(key.key_id, client=client).status_code == 204
