"""The official SDK of MNS by itself."""

import time

import pytest
from mns.mns_exception import MNSServerException
from mns.queue import Message, QueueMeta


@pytest.fixture
def own(server, name):
    """A queue made by MNS, with the SDK's own defaults: bodies travel in base64."""
    made = server.mns().get_queue(name)
    made.create(QueueMeta())
    return made


def failure(call, *args):
    with pytest.raises(MNSServerException) as failed:
        call(*args)
    return failed.value.type


def test_send_receive_delete(own):
    sent = own.send_message(Message("héllo"))
    peeked = own.peek_message_with_str_body()
    assert (peeked.message_body, peeked.dequeue_count) == ("héllo", 0)
    got = own.receive_message_with_str_body(5)
    assert (got.message_body, got.message_id, got.dequeue_count) == ("héllo", sent.message_id, 1)
    assert got.message_body_md5 == sent.message_body_md5
    own.delete_message(got.receipt_handle)
    assert failure(own.delete_message, got.receipt_handle) == "MessageNotExist"


def test_times_are_milliseconds(own):
    own.send_message(Message("m"))
    got = own.receive_message(5)
    for instant in (got.enqueue_time, got.first_dequeue_time, got.next_visible_time):
        assert len(str(instant)) == 13
    assert abs(got.enqueue_time / 1000 - time.time()) < 60
    changed = own.change_message_visibility(got.receipt_handle, 100)
    assert 95 < int(changed.next_visible_time) / 1000 - time.time() < 105


def test_priority_comes_first(own):
    for priority in (16, 8, 1):
        own.send_message(Message("p%d" % priority, priority=priority))
    assert [own.receive_message_with_str_body().message_body for _ in range(3)] == ["p1", "p8", "p16"]


def test_a_delayed_message_can_be_deleted_by_its_handle(own):
    sent = own.send_message(Message("m", delay_seconds=100))
    assert own.get_attributes().delay_messages == 1
    own.delete_message(sent.receipt_handle)
    assert own.get_attributes().delay_messages == 0


def test_batch_delete_names_the_handles_that_failed(own):
    own.batch_send_message([Message("m%d" % i) for i in range(3)])
    handles = [m.receipt_handle for m in own.batch_receive_message(16, 5)]
    own.delete_message(handles[0])
    with pytest.raises(MNSServerException) as failed:
        own.batch_delete_message(handles)
    assert [e["ReceiptHandle"] for e in failed.value.sub_errors] == [handles[0]]
    assert failure(own.batch_receive_message, 16, 1) == "MessageNotExist"


def test_queue_attributes(own):
    own.set_attributes(QueueMeta(vis_timeout=40, max_msg_size=2048, msg_ttl=600, delay_sec=1, polling_wait_sec=2))
    got = own.get_attributes()
    assert (got.visibility_timeout, got.maximum_message_size, got.message_retention_period) == (40, 2048, 600)
    assert (got.delay_seconds, got.polling_wait_seconds) == (1, 2)


def test_create_again(server, own, name):
    own.create(QueueMeta())
    assert failure(own.create, QueueMeta(vis_timeout=99)) == "QueueAlreadyExist"


def test_errors_have_the_providers_codes(server, own, name):
    gone = server.mns().get_queue(name + "-gone")
    assert failure(gone.send_message, Message("m")) == "QueueNotExist"
    assert failure(gone.get_attributes) == "QueueNotExist"
    assert failure(own.receive_message, 1) == "MessageNotExist"
    assert failure(own.peek_message) == "MessageNotExist"
    assert failure(own.delete_message, "nonsense") == "ReceiptHandleError"
    assert failure(own.change_message_visibility, "nonsense", 10) == "ReceiptHandleError"


def test_list_pages(server, name):
    made = sorted("%s-%d" % (name, i) for i in range(5))
    for each in made:
        server.mns().get_queue(each).create(QueueMeta())
    seen, marker = [], ""
    while True:
        urls, marker = server.mns().list_queue(name + "-", 2, marker)
        seen += [u.rsplit("/", 1)[1] for u in urls]
        if not marker:
            break
    assert seen == made
