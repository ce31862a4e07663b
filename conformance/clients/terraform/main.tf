# Queues as people declare them: defaults, every setting, a dead-letter queue both ways, a policy, tags, encryption, FIFO.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "url" {
  type        = string
  description = "Where Sluice listens."
}

variable "prefix" {
  type        = string
  default     = "terraform"
  description = "What the names of the queues begin with."
}

variable "visibility" {
  type        = number
  default     = 45
  description = "Changed to see an update in place."
}

provider "aws" {
  region                      = "us-east-1"
  access_key                  = "any"
  secret_key                  = "any"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true
  skip_requesting_account_id  = true

  endpoints {
    sqs = var.url
  }

  default_tags {
    tags = { managed = "terraform" }
  }
}

resource "aws_sqs_queue" "plain" {
  name = "${var.prefix}-plain"
}

resource "aws_sqs_queue" "dead" {
  name                      = "${var.prefix}-dead"
  message_retention_seconds = 1209600
}

resource "aws_sqs_queue_redrive_allow_policy" "dead" {
  queue_url = aws_sqs_queue.dead.id
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.full.arn]
  })
}

resource "aws_sqs_queue" "full" {
  name                       = "${var.prefix}-full"
  delay_seconds              = 5
  max_message_size           = 65536
  message_retention_seconds  = 86400
  receive_wait_time_seconds  = 10
  visibility_timeout_seconds = var.visibility
  sqs_managed_sse_enabled    = true

  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead.arn
    maxReceiveCount     = 4
  })

  tags = {
    team = "shop"
    cost = "é and more: +-=._:/@"
  }
}

data "aws_iam_policy_document" "senders" {
  statement {
    sid       = "senders"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.full.arn]

    principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::123456789012:root"]
    }
  }
}

resource "aws_sqs_queue_policy" "full" {
  queue_url = aws_sqs_queue.full.id
  policy    = data.aws_iam_policy_document.senders.json
}

resource "aws_sqs_queue" "encrypted" {
  name                              = "${var.prefix}-encrypted"
  kms_master_key_id                 = "alias/aws/sqs"
  kms_data_key_reuse_period_seconds = 600
}

resource "aws_sqs_queue" "steps_dead" {
  name       = "${var.prefix}-steps-dead.fifo"
  fifo_queue = true
}

resource "aws_sqs_queue" "steps" {
  name                        = "${var.prefix}-steps.fifo"
  fifo_queue                  = true
  content_based_deduplication = true
  deduplication_scope         = "messageGroup"
  fifo_throughput_limit       = "perMessageGroupId"
}

resource "aws_sqs_queue_redrive_policy" "steps" {
  queue_url = aws_sqs_queue.steps.id
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.steps_dead.arn
    maxReceiveCount     = 2
  })
}

data "aws_sqs_queue" "plain" {
  name       = aws_sqs_queue.plain.name
  depends_on = [aws_sqs_queue.plain]
}

output "found" {
  value = data.aws_sqs_queue.plain.url == aws_sqs_queue.plain.id
}
